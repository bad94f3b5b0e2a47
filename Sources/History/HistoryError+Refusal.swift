internal import Base

extension HistoryError {
    /// Translates the refusal of an input that was not committed.
    init(_ refusal: CommitRefusal) {
        self =
            switch refusal {
            case .closed: .closed
            case .full(let pending): .overloaded(pending: pending)
            case .unanswered: .unavailable("a commit left a write unanswered")
            }
    }
}

extension BlockingPool {
    /// Returns what the body returned. Throws `overloaded` without waiting when too many others wait already.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(HistoryError) -> Value
    ) async throws(HistoryError) -> Value {
        try await run(whenFull: { .overloaded(pending: $0) }, body)
    }
}
