/// A page of the history, newest first.
package struct HistoryPage: Hashable, Sendable {
    /// The highest number that counting reaches if a query restricts time or text.
    package static let countingLimit = 10_000

    package var items: [Scan]
    /// The number of scans on all pages that match the filters.
    package var total: Int
    /// Whether `total` counts every match. Filters by time or text stop the count at `countingLimit`.
    package var totalIsExact: Bool
    /// Nil on the last page.
    package var nextCursor: String?
    /// The scans of this page that cannot be shown, with the reasons, in words.
    package var damaged: [String] = []
}
