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
        router.get("/individuals", .withoutQuery { _ in try await list() })
    }

    private func list() async throws -> Response {
        guard let service else {
            throw ProblemDetails.notFound("individuals", id: "this service has no folder to learn in")
        }
        return try .json(IndividualList(await history.scans.namedAnimals(), service.status))
    }
}

private struct IndividualList: Encodable {
    struct Item: Encodable {
        let name: String
        let photos: Int
        let species: String
        let url: String
    }

    let items: [Item]
    let total: Int
    /// Always null, because the list is complete.
    let nextCursor = Nullable<String>(nil)
    let state: String
    let base: String?
    let learntAt: Date?
    let quality: IndividualService.Quality?
    let problem: String?

    init(_ animals: [NamedAnimal], _ status: IndividualService.Status) {
        items = animals.map {
            Item(
                name: $0.name, photos: $0.count, species: $0.species,
                url: "/history?individual=\(PercentCoding.encode($0.name))")
        }
        total = items.count
        state = status.state.rawValue
        base = status.base
        learntAt = status.learntAt
        quality = status.quality
        problem = status.problem
    }
}
