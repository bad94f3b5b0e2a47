/// A part of the history, newest first.
package struct HistoryPage: Hashable, Sendable {
    /// Beyond this many scans a total restricted by time or text is not counted to the end.
    package static let countingLimit = 10_000

    package var items: [Scan]
    /// How many scans match the filters on all pages together.
    package var total: Int
    /// False where time or text is filtered by and more than `countingLimit` scans match: `total` is then that limit.
    package var totalIsExact: Bool
    /// Nil on the last page.
    package var nextCursor: String?
    /// Scans of this part that cannot be shown, and why, in words.
    package var damaged: [String] = []
}
