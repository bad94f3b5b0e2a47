import Base
import Encyclopaedia
import HTTP
import History

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
