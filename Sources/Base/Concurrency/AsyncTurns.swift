/// Lets so many bodies run at a time, the others wait in the order in which they came; beyond a number of those that wait
/// nobody is let in.
package final class AsyncTurns: Sendable {
    /// So many wait already.
    package struct Full: Error, Hashable {
        package let waiting: Int
    }

    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var running = 0
        var waiting: [Waiting] = []
        var next = 0
        /// Cancelled before they had begun to wait.
        var cancelled: Set<Int> = []
    }

    private let width: Int
    private let maximumWaiting: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - width: how many run at a time, at least 1.
    ///   - maximumWaiting: how many more may wait.
    package init(width: Int, maximumWaiting: Int) {
        self.width = max(1, width)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    /// Whether another may come now.
    package var hasRoom: Bool {
        state.withLock { $0.running < width || $0.waiting.count < maximumWaiting }
    }

    /// Runs the body when its turn comes.
    ///
    /// - Throws: ``Full``, `CancellationError`, or what the body throws.
    package func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let waits = try state.withLock { state in
            if state.running < width {
                state.running += 1
                return false
            }
            guard state.waiting.count < maximumWaiting else { throw Full(waiting: state.waiting.count) }
            return true
        }
        guard waits else { return }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.remove(number) != nil { return false }
                    // A place may have become free since.
                    if state.running < width {
                        state.running += 1
                        return true
                    }
                    state.waiting.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> Waiting? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: index)
            }
            waiting?.continuation.resume(returning: false)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        guard isMine else { throw CancellationError() }
    }

    private func end() {
        let next = state.withLock { state -> Waiting? in
            // The place goes to whoever waits longest.
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
