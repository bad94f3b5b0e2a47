internal import Dispatch
internal import Foundation

/// Gathers the writes of concurrent callers and commits them together, so that they share one flush to the disk.
///
/// A lone caller is committed at once. During a commit the next batch grows. If others came during a commit, more will
/// come: the next commit then begins no sooner than `pace` after this one did, because a flush costs about as much
/// processor time for one caller as for ten. Commits run one after the other on a queue of their own, never on the
/// cooperative pool.
package final class GroupCommitter<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    /// Writes a batch durably, and returns one result for each member, in order.
    package typealias Commit = @Sendable ([Input]) -> [Result<Output, Failure>]

    private struct Waiting {
        var input: Input
        var continuation: CheckedContinuation<Result<Output, Failure>, Never>
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
    private let refusal: @Sendable (CommitRefusal) -> Failure
    private let state = Locked(State())

    /// - Parameters:
    ///   - label: names the committer's queue in a debugger.
    ///   - maximumBatch: the largest number of inputs in one commit.
    ///   - maximumPending: the largest number of inputs that wait.
    ///   - pace: the shortest time between the beginnings of commits while others wait.
    ///   - refusal: makes the error of an input that was not committed.
    package init(
        label: String, maximumBatch: Int, maximumPending: Int, pace: Duration = .zero,
        refusal: @escaping @Sendable (CommitRefusal) -> Failure, commit: @escaping Commit
    ) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        self.maximumBatch = maximumBatch
        self.maximumPending = maximumPending
        self.pace = pace
        self.refusal = refusal
        self.commit = commit
    }

    /// Returns once the input is committed. It throws at once if too many others wait already.
    package func submit(_ input: Input) async throws(Failure) -> Output {
        let result = await withCheckedContinuation { continuation in
            enqueue(Waiting(input: input, continuation: continuation))
        }
        return try result.get()
    }

    /// Refuses new work and returns once the work accepted before is committed.
    package func close() async {
        state.withLock { $0.isClosed = true }
        // The queue is serial, so earlier commits are done when this block's turn comes.
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func enqueue(_ waiting: Waiting) {
        let (reason, mustStart) = state.withLock { state -> (CommitRefusal?, Bool) in
            if state.isClosed { return (.closed, false) }
            if state.waiting.count >= maximumPending { return (.full(pending: state.waiting.count), false) }
            state.waiting.append(waiting)
            return (nil, !exchange(&state.isCommitting, with: true))
        }
        if let reason {
            waiting.continuation.resume(returning: .failure(refusal(reason)))
        } else if mustStart {
            queue.async { self.commitWaiting() }
        }
    }

    private func commitWaiting() {
        while let batch = nextBatch() {
            let start = ContinuousClock.now
            let results = commit(batch.map(\.input))
            for (index, waiting) in batch.enumerated() {
                let missing = Result<Output, Failure>.failure(refusal(.unanswered))
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

/// The reason why a ``GroupCommitter`` did not commit an input, although no commit failed.
package enum CommitRefusal: Sendable {
    case closed
    /// `pending` others wait already.
    case full(pending: Int)
    /// The commit gave no answer to this member of its batch.
    case unanswered
}
