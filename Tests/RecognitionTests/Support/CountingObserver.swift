import Base
import Recognition

final class CountingObserver: RecognitionObserver, Sendable {
    struct Counts: Equatable {
        var decoded = 0
        var queued = 0
        var inferred = 0
        var refused = 0
        var served = 0
        var waitedToDecode = 0
        var departed = 0
        var expired = 0
    }

    private let state = Locked(Counts())

    init() {}

    var counts: Counts { state.withLock { $0 } }

    func decoded(seconds: Double) { state.withLock { $0.decoded += 1 } }
    func queued(seconds: Double) { state.withLock { $0.queued += 1 } }
    func inferred(seconds: Double) { state.withLock { $0.inferred += 1 } }
    func refused(_ cause: RefusalCause) { state.withLock { $0.refused += 1 } }
    func served(seconds: Double) { state.withLock { $0.served += 1 } }
    func waitedToDecode(seconds: Double) { state.withLock { $0.waitedToDecode += 1 } }
    func dropped(reason: DropReason) {
        state.withLock { if reason == .departed { $0.departed += 1 } else { $0.expired += 1 } }
    }
}
