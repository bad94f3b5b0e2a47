internal import Dispatch

/// Runs blocking work off the cooperative pool, a bounded number at a time. The rest waits in order.
package final class BlockingPool: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// The queues without work.
        var idle: [DispatchQueue]
    }

    private let maximumPending: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - label: names the pool's threads in a debugger.
    ///   - width: the number of bodies that run at a time.
    ///   - maximumPending: the number of further bodies that may wait.
    package init(label: String, width: Int, maximumPending: Int) {
        // Dispatch starts the thread of a serial queue at once. For concurrent queues it has one thread a core, and when
        // all of them block it starts one more a second, so that a few cameras would delay the whole service.
        state = Locked(State(idle: (0..<width).map { _ in DispatchQueue(label: label, qos: .userInitiated) }))
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
        let (isTaken, queue) = state.withLock { state -> (Bool, DispatchQueue?) in
            if let queue = state.idle.popLast() { return (true, queue) }
            if state.waiting.count >= maximumPending { return (false, nil) }
            state.waiting.append(work)
            return (true, nil)
        }
        if let queue {
            queue.async {
                work()
                while let next = self.nextWork(on: queue) { next() }
            }
        }
        return isTaken
    }

    private func nextWork(on queue: DispatchQueue) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.idle.append(queue)
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
