import Base

/// Bytes reserved for files that are being written, so that concurrent uploads do not count on the same space.
final class PromisedBytes: Sendable {
    private let limit: Int
    private let promised = Locked<[ULID: Int]>([:])

    /// - Parameter limit: the bytes of all reservations together.
    init(limit: Int) {
        self.limit = limit
    }

    /// Reserves more bytes for a video.
    ///
    /// - Returns: false if that would exceed the limit. Nothing is reserved then.
    func add(_ bytes: Int, to id: ULID) -> Bool {
        promised.withLock { promised in
            let total = promised.values.reduce(0, +).addingReportingOverflow(max(0, bytes))
            guard !total.overflow, total.partialValue <= limit else { return false }
            promised[id, default: 0] += max(0, bytes)
            return true
        }
    }

    /// Releases bytes of a reservation.
    func take(_ bytes: Int, from id: ULID) {
        promised.withLock { promised in
            let left = promised[id, default: 0] - bytes
            promised[id] = left > 0 ? left : nil
        }
    }

    /// The bytes of all reservations.
    var total: Int { promised.withLock { $0.values.reduce(0, +) } }

    /// The videos with reservations.
    var ids: Set<ULID> { promised.withLock { Set($0.keys) } }
}
