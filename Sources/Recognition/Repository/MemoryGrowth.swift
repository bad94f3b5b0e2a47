import Base

/// What models take in memory, told by how the process grows while they are loaded. Of what it grows by while several are,
/// each counts for an equal part, so that together they count for no more than there is.
final class MemoryGrowth: Sendable {
    private struct State {
        var last = 0
        var lastID: UInt64 = 0
        /// Bytes by measurement under way.
        var grown: [UInt64: Int] = [:]

        mutating func share(_ bytes: Int) {
            let part = (bytes - last) / max(grown.count, 1)
            for id in grown.keys { grown[id, default: 0] += part }
            last = bytes
        }
    }

    private let residentMemory: @Sendable () -> Int
    private let state = Locked(State())

    /// - Parameter residentMemory: what the process holds in bytes.
    init(residentMemory: @escaping @Sendable () -> Int) {
        self.residentMemory = residentMemory
    }

    /// Starts a measurement, which ``end(_:)`` has to end.
    func begin() -> UInt64 {
        let bytes = residentMemory()
        return state.withLock { state in
            state.share(bytes)
            state.lastID += 1
            state.grown[state.lastID] = 0
            return state.lastID
        }
    }

    /// - Returns: bytes; negative where the process shrank.
    @discardableResult
    func end(_ id: UInt64) -> Int {
        let bytes = residentMemory()
        return state.withLock { state in
            state.share(bytes)
            return state.grown.removeValue(forKey: id) ?? 0
        }
    }
}
