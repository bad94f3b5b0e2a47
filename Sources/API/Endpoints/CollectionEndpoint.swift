import Base
import Encyclopaedia
import HTTP
import Storage

/// `GET /collection`: the breeds and species that were met, and the number of all.
struct CollectionEndpoint: Sendable {
    private enum Order: String, CaseIterable {
        case name, first, last, count
    }

    private static let listName = "collection"

    let history: HistoryStore
    let encyclopaedia: Encyclopaedia

    func register(in router: inout Router) {
        router.get("/collection", .asynchronous { try await list($0) })
    }

    private func list(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let offset = try reader.offset(of: Self.listName)
        let kind = try reader.choice("kind", of: Article.Kind.self)
        let species = try reader.text("species")
        let order = try reader.choice("sort", of: Order.self) ?? .last
        try reader.finish()

        let all = try await history.scans.collection().compactMap { entry in
            encyclopaedia[entry.label].map { CollectionItem(entry, $0, in: language) }
        }
        let found = Self.sorted(
            all.filter { (kind == nil || $0.kind == kind) && (species == nil || $0.species == species) }, by: order)
        let page = CollectionPage(
            page: Page(of: found, from: offset, limit: limit, list: Self.listName) { $0 },
            progress: CollectionProgress(met: Set(all.map(\.label)), in: encyclopaedia))
        return try Representation(list: page, next: page.page.nextCursor.value, of: request, in: language)
            .response(to: request)
    }

    /// Sorts dates and counts in descending order, and names from A on.
    private static func sorted(_ items: [CollectionItem], by order: Order) -> [CollectionItem] {
        items.sorted { first, second in
            switch order {
            case .name: (first.name.lowercased(), first.label) < (second.name.lowercased(), second.label)
            case .first: (second.firstMet, first.label) < (first.firstMet, second.label)
            case .last: (second.lastMet, first.label) < (first.lastMet, second.label)
            case .count: (second.count, first.label) < (first.count, second.label)
            }
        }
    }
}
