import Base
import Encyclopaedia
import Foundation
import HTTP
import Storage

/// `PUT` and `DELETE /breeds/{id}/favourite`, `GET /favourites`: the articles that the user has marked.
struct FavouriteEndpoints: Sendable {
    let history: HistoryStore
    let encyclopaedia: Encyclopaedia

    func register(in router: inout Router) {
        router.put("/breeds/{id}/favourite", .noContent { try await set(true, $0) })
        router.delete("/breeds/{id}/favourite", .noContent { try await set(false, $0) })
        router.get("/favourites", .asynchronous { try await list($0) })
    }

    /// Marks or unmarks an article. Repeating it changes nothing.
    private func set(_ isFavourite: Bool, _ request: Request) async throws {
        let article = try encyclopaedia.article(request.parameters["id"] ?? "")
        try await history.scans.setFavourite(article.id, isFavourite)
    }

    /// Lists favourites, newest first. Those whose article no longer exists are left out.
    private func list(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let position = try reader.cursor(of: "favourites")
        try reader.finish()
        let all = try await history.scans.favourites().filter { encyclopaedia[$0.articleID] != nil }
        let rest = all.filter { favourite in
            // The list is sorted by time (newest first), then by id. Marking or unmarking others in the meantime
            // neither repeats nor hides entries.
            position.map { (-$0.number, $0.id) < (-Self.cursor(favourite).number, favourite.articleID) } ?? true
        }
        let page = try Page(of: rest, limit: limit, total: all.count, cursor: Self.cursor) {
            FavouriteRepresentation($0, try encyclopaedia.article($0.articleID), in: language, of: encyclopaedia)
        }
        return try Representation(page: page, of: request, in: language).response(to: request)
    }

    private static func cursor(_ favourite: Favourite) -> Cursor {
        Cursor("favourites", number: favourite.since.milliseconds, id: favourite.articleID)
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
