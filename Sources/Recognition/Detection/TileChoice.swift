/// The number of tiles that a detector examines; see ``Tiling``.
package enum TileChoice: Sendable, Equatable, ExpressibleByIntegerLiteral {
    /// As many as the photo's size requires. No tiles if the whole photo shows something large.
    case automatic
    /// This number along each side, from 1 (only the whole photo) to ``Tiling/maximumCount``.
    case along(Int)

    package init(integerLiteral value: Int) {
        self = .along(value)
    }
}
