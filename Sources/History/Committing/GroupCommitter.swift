internal import Dispatch
internal import Foundation
internal import Synchronization

/// Gathers what concurrent callers want written and commits it together, so that they share one flush to the disk.
///
/// A lone caller is committed at once; while a commit is under way the next batch grows. Where others came during a
/// commit, more will come: the next then begins no sooner than `pace` after this one did, because a flush costs about as
/// much processor time whether it serves one caller or ten. Commits run one after the other on a queue of their own,
/// never on the cooperative pool.
final class GroupCommitter<Input: Sendable, Output: Sendable>: Sendable {
    /// Writes a batch and answers each of its members, in order. What it returns must be durable.
    typealias Commit = @Sendable ([Input]) -> [Result<Output, HistoryError>]

    private struct Waiting {
        var input: Input
        var continuation: CheckedContinuation<Result<Output, HistoryError>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isCommitting = false
        var isClosed = false
    }

    private let queue: DispatchQueue
    private let maximumBatch: Int
    private let maximumPending: Int
    private let pace: Duration
    private let commit: Commit
    private let state = Mutex(State())

    init(
        label: String, maximumBatch: Int, maximumPending: Int, pace: Duration = .zero, commit: @escaping Commit
    ) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        self.maximumBatch = maximumBatch
        self.maximumPending = maximumPending
        self.pace = pace
        self.commit = commit
    }

    /// Returns once the input is committed. Throws `overloaded` without waiting when too many others wait already.
    func submit(_ input: Input) async throws(HistoryError) -> Output {
        let result = await withCheckedContinuation { continuation in
            enqueue(Waiting(input: input, continuation: continuation))
        }
        return try result.get()
    }

    /// Refuses new work and returns once the work accepted before is committed.
    func close() async {
        state.withLock { $0.isClosed = true }
        // The queue is serial: whatever was committing is done when this block's turn comes.
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func enqueue(_ waiting: Waiting) {
        let (refusal, mustStart) = state.withLock { state -> (HistoryError?, Bool) in
            if state.isClosed { return (.closed, false) }
            if state.waiting.count >= maximumPending { return (.overloaded(pending: state.waiting.count), false) }
            state.waiting.append(waiting)
            defer { state.isCommitting = true }
            return (nil, !state.isCommitting)
        }
        if let refusal {
            waiting.continuation.resume(returning: .failure(refusal))
        } else if mustStart {
            queue.async { self.commitWaiting() }
        }
    }

    private func commitWaiting() {
        while let batch = nextBatch() {
            let start = ContinuousClock.now
            let results = commit(batch.map(\.input))
            for (index, waiting) in batch.enumerated() {
                let missing = Result<Output, HistoryError>.failure(.unavailable("a commit left a write unanswered"))
                waiting.continuation.resume(returning: index < results.count ? results[index] : missing)
            }
            let pause = pace - (ContinuousClock.now - start)
            if pause > .zero, state.withLock({ !$0.waiting.isEmpty && !$0.isClosed }) {
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }

    private func nextBatch() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isCommitting = false
                return nil
            }
            let batch = Array(state.waiting.prefix(maximumBatch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}
