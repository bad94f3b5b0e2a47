import Base
import Encyclopaedia
import HTTP

/// `GET /breeds` and `GET /breeds/{id}`: the encyclopaedia.
///
/// Articles never change while the service runs, so each is encoded once per language and then answered on the
/// connection's own loop. Searching, sorting and encoding a list would delay the loop's other connections, so that runs
/// as a task.
struct BreedEndpoints: Sendable {
    private struct Key: Hashable {
        let id: String
        let language: Language
    }

    private static let listName = "breeds"

    let encyclopaedia: Encyclopaedia
    private let prepared = Locked<[Key: Representation]>([:])

    func register(in router: inout Router) {
        router.get("/breeds", .asynchronous { try list($0) })
        router.get("/breeds/{id}", .inline { try article($0) })
    }

    private func article(_ request: Request) throws -> Response {
        let language = try request.language()
        let article = try encyclopaedia.article(request.parameters["id"] ?? "")
        return try document(article, in: language).response(to: request)
    }

    private func document(_ article: Article, in language: Language) throws -> Representation {
        let key = Key(id: article.id, language: language)
        if let known = prepared.withLock({ $0[key] }) { return known }
        let document = Representation(
            json: try JSON.encode(ArticleRepresentation(article, in: language, of: encyclopaedia)),
            headers: [
                "Content-Language": language.rawValue, "Vary": "Accept-Language",
                "Cache-Control": "public, max-age=300",
            ])
        prepared.withLock { $0[key] = document }
        return document
    }

    private func list(_ request: Request) throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let offset = try reader.offset(of: Self.listName)
        let query = try articleQuery(&reader, language: language)
        try reader.finish()

        let found = encyclopaedia.articles(matching: query)
        let page = Page(of: found, from: offset, limit: limit, list: Self.listName) { ArticleSummary($0, in: language) }
        return try Representation(page: page, of: request, in: language).response(to: request)
    }

    private func articleQuery(_ reader: inout QueryReader, language: Language) throws -> ArticleQuery {
        var query = ArticleQuery()
        query.language = language
        query.text = try reader.text("q")
        query.species = try reader.text("species")
        query.kind = try reader.choice("kind", of: Article.Kind.self)
        query.group = try reader.text("group")
        query.size = try reader.choice("size", of: Article.Size.self)
        query.country = try reader.text("country")?.uppercased()
        query.status = try reader.choice("status", of: Article.ConservationStatus.self)
        query.order = try reader.choice("sort", of: ArticleQuery.Order.self)
        for text in reader.list("trait") {
            let (name, range) = try Self.trait(text)
            query.traits[name, default: Set(range)].formIntersection(range)
        }
        return query
    }

    /// Reads `affection` (4 or more), `affection:3` (exactly) or `affection:2-4`.
    private static func trait(_ text: String) throws -> (String, ClosedRange<Int>) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bounds =
            parts.count == 2
            ? parts[1].split(separator: "-", omittingEmptySubsequences: false).map { Int(decimal: $0) ?? 0 } : [4, 5]
        guard parts.count <= 2, let name = parts.first.map(String.init), Article.traitNames.contains(name),
            let low = bounds.first, let high = bounds.last, bounds.count <= 2, 1 <= low, low <= high, high <= 5
        else {
            throw ProblemDetails.invalidParameter(
                "trait", value: text,
                expected: "a trait with values from 1 to 5, such as energy, energy:3 or energy:2-4; the traits are "
                    + Article.traitNames.joined(separator: ", "))
        }
        return (name, low...high)
    }
}
