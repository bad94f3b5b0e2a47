import Base
import Foundation
import HTTP
import Storage
import Training

/// `/individuals`: the animals with names in the history, and the quality of their recognition.
struct IndividualEndpoints: Sendable {
    let history: HistoryStore
    let service: IndividualService?

    func register(in router: inout Router) {
        router.get("/individuals", .asynchronous { try await list($0) })
    }

    private func list(_ request: Request) async throws -> Response {
        let (offset, limit) = try QueryReader.pageOfShortList("individuals", request)
        guard let service else {
            throw ProblemDetails.notFound("individuals", id: "this service has no folder to learn in")
        }
        let page = Page(
            of: try await history.scans.namedAnimals(), from: offset, limit: limit, list: "individuals",
            IndividualList.Item.init)
        return try .json(IndividualList(page, service.status))
    }
}

private struct IndividualList: Encodable {
    struct Item: Encodable {
        let name: String
        let photos: Int
        let species: String
        let url: String

        init(_ animal: NamedAnimal) {
            (name, photos, species) = (animal.name, animal.count, animal.species)
            url = "/history?individual=\(PercentCoding.encode(name))"
        }
    }

    let items: [Item]
    let total: Int
    let nextCursor: Nullable<String>
    let state: String
    let base: String?
    let learntAt: Date?
    let quality: IndividualService.Quality?
    let problem: String?

    init(_ page: Page<Item>, _ status: IndividualService.Status) {
        (items, total, nextCursor) = (page.items, page.total, page.nextCursor)
        state = status.state.rawValue
        base = status.base
        learntAt = status.learntAt
        quality = status.quality
        problem = status.problem
    }
}
