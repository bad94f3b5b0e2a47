internal import Base
internal import Foundation

extension InMemoryRepository {
    func delete(id: ULID) async throws(HistoryError) -> Deletion {
        let deletion = try await delete(ids: [id])
        guard deletion.count == 1 else { throw .notFound(id.description) }
        return deletion
    }

    func delete(ids: [ULID]) async throws(HistoryError) -> Deletion {
        try access { state in delete(Set(ids), &state) }
    }

    func deleteAll() async throws(HistoryError) -> Deletion {
        try access { state in delete(Set(state.entries.keys), &state) }
    }

    private func delete(_ ids: Set<ULID>, _ state: inout State) -> Deletion {
        var deletion = Deletion(id: ULID(date: options.now()))
        for id in ids where state.entries[id]?.deletion == nil && state.entries[id] != nil {
            state.entries[id]?.deletion = deletion.id
            deletion.count += 1
        }
        return deletion
    }

    private var graceStart: ULID { ULID(lowestAt: options.now().addingTimeInterval(-options.undoGrace)) }

    func undo(_ deletion: ULID) async throws(HistoryError) -> Int {
        try access { state throws(HistoryError) in
            let ids = state.entries.filter { $0.value.deletion == deletion }.map(\.key)
            guard deletion >= graceStart, !ids.isEmpty else { throw .undoExpired(deletion.description) }
            for id in ids { state.entries[id]?.deletion = nil }
            return ids.count
        }
    }

    func purgeDeleted() async throws(HistoryError) -> Removal {
        try access { state in
            remove(state.entries.filter { ($0.value.deletion ?? graceStart) < graceStart }.map(\.key), &state)
        }
    }

    func enforce(_ policy: RetentionPolicy) async throws(HistoryError) -> Removal {
        try access { state in
            var ids: [ULID] = []
            if let age = policy.maximumAge {
                let bound = options.now().addingTimeInterval(-age).milliseconds
                ids += state.live.filter { $0.createdAt.milliseconds < bound }.map(\.id)
            }
            if ids.isEmpty, let limit = policy.maximumBytes {
                var bytes = state.live.reduce(0) { $0 + ($1.photo?.byteCount ?? 0) }
                for scan in state.live.reversed() where bytes > limit {
                    bytes -= scan.photo?.byteCount ?? 0
                    ids.append(scan.id)
                }
            }
            return remove(ids, &state)
        }
    }

    private func remove(_ ids: [ULID], _ state: inout State) -> Removal {
        let removed = ids.compactMap { state.entries.removeValue(forKey: $0) }
        return Removal(count: removed.count, digests: Set(removed.flatMap { $0.scan.photo?.digests ?? [] }))
    }

    func reclaimSpace() async throws(HistoryError) {}

    func referenced(among digests: [ContentDigest]) async throws(HistoryError) -> Set<ContentDigest> {
        try access { state in
            let photos = state.entries.values.compactMap(\.scan.photo)
            let named = Set(photos.map(\.digest) + photos.compactMap(\.thumbnailDigest))
            return named.intersection(digests)
        }
    }
}
