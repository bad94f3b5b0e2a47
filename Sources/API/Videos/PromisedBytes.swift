import Base

/// Bytes that are promised to files of videos on their way, so that many at once do not count on the same room.
final class PromisedBytes: Sendable {
    private let limit: Int
    private let promised = Locked<[ULID: Int]>([:])

    /// - Parameter limit: bytes of all promises together.
    init(limit: Int) {
        self.limit = limit
    }

    /// Promises so many more bytes to a video; false, and no more than before, where that would be too many.
    func add(_ bytes: Int, to id: ULID) -> Bool {
        promised.withLock { promised in
            let total = promised.values.reduce(0, +).addingReportingOverflow(max(0, bytes))
            guard !total.overflow, total.partialValue <= limit else { return false }
            promised[id, default: 0] += max(0, bytes)
            return true
        }
    }

    /// Takes so many bytes of a promise back.
    func take(_ bytes: Int, from id: ULID) {
        promised.withLock { promised in
            let left = promised[id, default: 0] - bytes
            promised[id] = left > 0 ? left : nil
        }
    }

    /// Bytes of all promises.
    var total: Int { promised.withLock { $0.values.reduce(0, +) } }

    /// The videos that have promises.
    var ids: Set<ULID> { promised.withLock { Set($0.keys) } }
}
