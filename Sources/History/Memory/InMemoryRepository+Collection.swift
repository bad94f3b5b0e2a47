internal import Base
internal import Foundation

extension InMemoryRepository {
    func setFavourite(_ articleID: String, _ isFavourite: Bool) async throws(HistoryError) {
        guard ScanUpdate.isLabel(articleID) else { throw .invalid(field: "id", problem: ScanUpdate.labelRule) }
        try access { state in
            state.favourites[articleID] = isFavourite ? state.favourites[articleID] ?? options.now() : nil
        }
    }

    func favourites() async throws(HistoryError) -> [Favourite] {
        try access { state in
            state.favourites.map { Favourite(articleID: $0.key, since: Date(milliseconds: $0.value.milliseconds)) }
                .sorted { ($1.since, $0.articleID) < ($0.since, $1.articleID) }
        }
    }

    func collection() async throws(HistoryError) -> [CollectionEntry] {
        try access { state in
            let met = state.live.filter { !$0.abstained || $0.correctedLabel != nil }
            return Dictionary(grouping: met) { $0.effectiveLabel ?? "" }.compactMap { label, scans in
                guard !label.isEmpty, let last = scans.first, let first = scans.last else { return nil }
                return CollectionEntry(
                    label: label, firstMet: first.createdAt, lastMet: last.createdAt, count: scans.count)
            }.sorted { $0.label < $1.label }
        }
    }

    func namedAnimals() async throws(HistoryError) -> [NamedAnimal] {
        try access { state in
            state.live.compactMap { scan in
                scan.individual.map { NamedAnimal(name: $0, species: scan.species, count: 1) }
            }.joined()
        }
    }

    func checkIntegrity() async throws(HistoryError) -> [String] { [] }

    func copyDatabase(to path: String) -> Bool { false }
}
