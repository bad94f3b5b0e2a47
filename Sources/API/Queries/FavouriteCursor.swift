import Base
import Foundation
import History

/// The end of a page of favourites: the time and the article of its last entry. So marking or unmarking others in the
/// meantime neither repeats nor hides entries.
struct FavouriteCursor {
    private static let prefix = "favourites"

    let since: Int64
    let articleID: String

    init(_ favourite: Favourite) {
        since = Self.milliseconds(favourite.since)
        articleID = favourite.articleID
    }

    /// Reads a cursor from ``text``; nil for any other text.
    init?(_ text: String) {
        guard let data = Data(base64Encoded: text), let plain = String(data: data, encoding: .utf8) else { return nil }
        let parts = plain.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.prefix, let since = Int64(parts[1]) else { return nil }
        self.since = since
        articleID = String(parts[2])
    }

    var text: String {
        Data("\(Self.prefix):\(since):\(articleID)".utf8).base64EncodedString()
    }

    /// Whether the favourite comes later in the list, which is sorted by time (newest first), then by id.
    func precedes(_ favourite: Favourite) -> Bool {
        (-since, articleID) < (-Self.milliseconds(favourite.since), favourite.articleID)
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(clamping: (date.timeIntervalSince1970 * 1000).rounded())
    }
}
