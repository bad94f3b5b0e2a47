/// How many tiles of a photo a detector looks at; see ``Tiling``.
package enum TileChoice: Sendable, Equatable, ExpressibleByIntegerLiteral {
    /// As many as the photo's size calls for, and none where something large is seen in the whole photo.
    case automatic
    /// So many along each side, from 1 (the whole photo alone) to ``Tiling/maximumCount``.
    case along(Int)

    package init(integerLiteral value: Int) {
        self = .along(value)
    }
}
