import Base

/// Measures the memory of models by the growth of the process while they load. Growth during several loads is divided
/// equally between them, so that the sum is right.
final class MemoryGrowth: Sendable {
    private struct State {
        var last = 0
        var lastID: UInt64 = 0
        /// The bytes of each measurement in progress.
        var grown: [UInt64: Int] = [:]

        mutating func share(_ bytes: Int) {
            let part = (bytes - last) / max(grown.count, 1)
            for id in grown.keys { grown[id, default: 0] += part }
            last = bytes
        }
    }

    private let residentMemory: @Sendable () -> Int
    private let state = Locked(State())

    /// - Parameter residentMemory: returns the memory of the process in bytes.
    init(residentMemory: @escaping @Sendable () -> Int) {
        self.residentMemory = residentMemory
    }

    /// Starts a measurement. Each needs a call of ``end(_:)``.
    func begin() -> UInt64 {
        let bytes = residentMemory()
        return state.withLock { state in
            state.share(bytes)
            state.lastID += 1
            state.grown[state.lastID] = 0
            return state.lastID
        }
    }

    /// - Returns: the growth in bytes. Negative if the process shrank.
    @discardableResult
    func end(_ id: UInt64) -> Int {
        let bytes = residentMemory()
        return state.withLock { state in
            state.share(bytes)
            return state.grown.removeValue(forKey: id) ?? 0
        }
    }
}
