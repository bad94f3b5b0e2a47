import Base
import Encyclopaedia
import Foundation
import History
import HTTP

/// `PUT` and `DELETE /breeds/{id}/favourite`, `GET /favourites`: the articles that the user has marked.
struct FavouriteEndpoints: Sendable {
    let history: HistoryStore
    let encyclopaedia: Encyclopaedia

    func register(in router: inout Router) {
        router.put("/breeds/{id}/favourite", .asynchronous { try await set(true, $0) })
        router.delete("/breeds/{id}/favourite", .asynchronous { try await set(false, $0) })
        router.get("/favourites", .asynchronous { try await list($0) })
    }

    /// Marks or unmarks an article. Repeating it changes nothing.
    private func set(_ isFavourite: Bool, _ request: Request) async throws -> Response {
        try QueryReader(request).finish()
        let article = try encyclopaedia.article(request.parameters["id"] ?? "")
        try await history.scans.setFavourite(article.id, isFavourite)
        return Response(status: .noContent)
    }

    /// Lists favourites, newest first. Those whose article no longer exists are left out.
    private func list(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let position = try position(&reader)
        try reader.finish()
        let all = try await history.scans.favourites().filter { encyclopaedia[$0.articleID] != nil }
        let rest = all.filter { position?.precedes($0) ?? true }
        let page = rest.prefix(limit)
        let next = rest.count > page.count ? page.last.map { FavouriteCursor($0).text } : nil
        let items = page.compactMap { favourite in
            encyclopaedia[favourite.articleID].map {
                FavouriteRepresentation(favourite, $0, in: language, of: encyclopaedia)
            }
        }
        return try Representation(
            page: Page(items: items, total: all.count, nextCursor: next), of: request, in: language
        ).response(to: request)
    }

    private func position(_ reader: inout QueryReader) throws -> FavouriteCursor? {
        guard let cursor = try reader.text("cursor") else { return nil }
        guard let position = FavouriteCursor(cursor) else {
            throw ProblemDetails.invalidParameter(
                "cursor", value: cursor, expected: "the next_cursor of an earlier page")
        }
        return position
    }
}

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

struct FavouriteRepresentation: Encodable {
    let id: String
    let since: Date
    let article: ArticleRepresentation

    init(_ favourite: Favourite, _ article: Article, in language: Language, of encyclopaedia: Encyclopaedia) {
        id = favourite.articleID
        since = favourite.since
        self.article = ArticleRepresentation(article, in: language, of: encyclopaedia)
    }
}
