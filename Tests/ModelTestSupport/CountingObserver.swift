import Base
package import Inference

/// Counts what it is told.
package final class CountingObserver: RecognitionObserver, Sendable {
    package struct Counts: Equatable {
        package var decoded = 0
        package var queued = 0
        package var inferred = 0
        package var batches: [Int] = []
        package var reasons: [DispatchReason: Int] = [:]
        package var refused = 0
        package var served = 0
        package var waitedToDecode = 0
        package var departed = 0
        package var expired = 0
    }

    private let state = Locked(Counts())

    package init() {}

    package var counts: Counts { state.withLock { $0 } }

    package func decoded(seconds: Double) { state.withLock { $0.decoded += 1 } }
    package func queued(seconds: Double) { state.withLock { $0.queued += 1 } }
    package func inferred(seconds: Double) { state.withLock { $0.inferred += 1 } }
    package func dispatched(size: Int, reason: DispatchReason) {
        state.withLock {
            $0.batches.append(size)
            $0.reasons[reason, default: 0] += 1
        }
    }
    package func refused(_ cause: RefusalCause) { state.withLock { $0.refused += 1 } }
    package func served(seconds: Double) { state.withLock { $0.served += 1 } }
    package func waitedToDecode(seconds: Double) { state.withLock { $0.waitedToDecode += 1 } }
    package func dropped(reason: DropReason) {
        state.withLock { if reason == .departed { $0.departed += 1 } else { $0.expired += 1 } }
    }
}
