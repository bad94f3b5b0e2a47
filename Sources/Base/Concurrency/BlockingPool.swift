internal import Dispatch

/// Runs blocking work off the cooperative pool, a bounded number at a time. The rest waits in order.
package final class BlockingPool: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var running = 0
    }

    private let queue: DispatchQueue
    private let width: Int
    private let maximumPending: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - label: names the pool's threads in a debugger.
    ///   - width: the number of bodies that run at a time.
    ///   - maximumPending: the number of further bodies that may wait.
    package init(label: String, width: Int, maximumPending: Int) {
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
        self.width = width
        self.maximumPending = maximumPending
    }

    /// Runs the body and returns its result.
    ///
    /// - Parameter refusal: makes the error for too many waiting bodies from their number.
    package func run<Value: Sendable, Failure: Error>(
        whenFull refusal: (Int) -> Failure, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await runIfRoom { Result { () throws(Failure) in try body() } }
        guard let result else { throw refusal(maximumPending) }
        return try result.get()
    }

    /// Runs the body and returns its result; nil if too many others wait.
    package func runIfRoom<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            if !enqueue({ continuation.resume(returning: body()) }) { continuation.resume(returning: nil) }
        }
    }

    /// - Returns: whether the work is accepted.
    private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, mustStart) = state.withLock { state -> (Bool, Bool) in
            if state.running < width {
                state.running += 1
                return (true, true)
            }
            if state.waiting.count >= maximumPending { return (false, false) }
            state.waiting.append(work)
            return (true, false)
        }
        if mustStart { queue.async { self.work(startingWith: work) } }
        return isTaken
    }

    private func work(startingWith first: @Sendable () -> Void) {
        first()
        while let next = nextWork() { next() }
    }

    private func nextWork() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
