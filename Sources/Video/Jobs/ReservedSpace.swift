import Base

/// Bytes reserved for files that are being written, so that concurrent uploads do not count on the same space.
final class ReservedSpace: Sendable {
    private let limit: Int
    private let reserved = Locked<[ULID: Int]>([:])

    /// - Parameter limit: the bytes of all reservations together.
    init(limit: Int) { self.limit = limit }

    /// Reserves more bytes for a video.
    ///
    /// - Returns: false if that would exceed the limit. Nothing is reserved then.
    func reserve(_ bytes: Int, for id: ULID) -> Bool {
        reserved.withLock { reserved in
            let total = reserved.values.reduce(0, +).addingReportingOverflow(max(0, bytes))
            guard !total.overflow, total.partialValue <= limit else { return false }
            reserved[id, default: 0] += max(0, bytes)
            return true
        }
    }

    func release(_ bytes: Int, of id: ULID) {
        reserved.withLock { reserved in
            let left = reserved[id, default: 0] - bytes
            reserved[id] = left > 0 ? left : nil
        }
    }

    /// The bytes of all reservations.
    var total: Int { reserved.withLock { $0.values.reduce(0, +) } }

    /// The videos with reservations.
    var ids: Set<ULID> { reserved.withLock { Set($0.keys) } }
}
