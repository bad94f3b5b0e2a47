internal import Dispatch
internal import Synchronization

/// Runs blocking work off the cooperative pool, a bounded number at a time, the rest waiting in order.
final class BlockingPool: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var running = 0
    }

    private let queue: DispatchQueue
    private let width: Int
    private let maximumPending: Int
    private let state = Mutex(State())

    init(label: String, width: Int, maximumPending: Int) {
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
        self.width = width
        self.maximumPending = maximumPending
    }

    /// Returns what the body returned. Throws `overloaded` without waiting when too many others wait already.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(HistoryError) -> Value
    ) async throws(HistoryError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, HistoryError>, Never>) in
            let refusal = enqueue { continuation.resume(returning: Result { () throws(HistoryError) in try body() }) }
            if let refusal { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    private func enqueue(_ work: @escaping @Sendable () -> Void) -> HistoryError? {
        let (refusal, mustStart) = state.withLock { state -> (HistoryError?, Bool) in
            if state.running < width {
                state.running += 1
                return (nil, true)
            }
            if state.waiting.count >= maximumPending { return (.overloaded(pending: state.waiting.count), false) }
            state.waiting.append(work)
            return (nil, false)
        }
        if mustStart { queue.async { self.work(startingWith: work) } }
        return refusal
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
