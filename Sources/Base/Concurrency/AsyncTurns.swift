/// Runs a limited number of bodies at a time. The others wait in the order in which they came. When too many wait,
/// further ones are refused.
package final class AsyncTurns: Sendable {
    /// The error for a body that comes when the largest number of bodies wait already.
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
        /// The bodies that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let width: Int
    private let maximumWaiting: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - width: the number of bodies that run at a time, at least 1.
    ///   - maximumWaiting: the number of further bodies that may wait.
    package init(width: Int, maximumWaiting: Int) {
        self.width = max(1, width)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    /// Runs the body when its turn comes.
    ///
    /// - Throws: ``Full``, `CancellationError`, or the error of the body.
    package func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async throws {
        let turn = try state.withLock { state -> Int? in
            if state.running < width {
                state.running += 1
                return nil
            }
            guard state.waiting.count < maximumWaiting else { throw Full(waiting: state.waiting.count) }
            state.next += 1
            return state.next
        }
        guard let number = turn else { return }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.remove(number) != nil { return false }
                    // A place may have become free in the meantime.
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
            // The place goes to the body that has waited longest.
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}
