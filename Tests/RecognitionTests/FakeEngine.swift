import Synchronization

@testable import Recognition

/// An engine without a network: each photo's output is its own first bytes, so that answers can be told apart.
///
/// A batch whose first photo begins with 255 waits until ``open()``: that is how tests keep the engine busy.
final class FakeEngine: InferenceEngine, Sendable {
    let outputNames = ["echo"]
    let outputSizes = [2]
    let inputSize = 2
    let lanes: Int

    private let gate = Monitor(false)
    private let record: Mutex<[[UInt8]]> = Mutex([])

    init(lanes: Int = 1) {
        self.lanes = lanes
    }

    /// First bytes of every batch, in the order in which they came.
    var batches: [[UInt8]] { record.withLock { $0 } }

    /// Lets blocked batches go on, now and later.
    func open() {
        gate.withLock { $0 = true }
        gate.broadcast()
    }

    func infer(
        _ batch: [[UInt8]], lane: Int, deliver: (_ index: Int, _ output: Result<ModelOutput, RecognitionError>) -> Void
    ) {
        record.withLock { $0.append(batch.map { $0[0] }) }
        if batch.first?.first == 255 { gate.waitUntil { $0 ? .done(()) : .wait } }
        for (index, photo) in batch.enumerated() {
            if photo.count == inputSize {
                deliver(index, .success(ModelOutput(values: [photo.map(Float.init)])))
            } else {
                deliver(index, .failure(.engine("\(photo.count) bytes")))
            }
        }
    }
}

/// Counts what it is told.
final class CountingObserver: RecognitionObserver, Sendable {
    struct Counts: Equatable {
        var decoded = 0
        var queued = 0
        var inferred = 0
        var batches: [Int] = []
        var refused = 0
        var departed = 0
        var expired = 0
    }

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    func decoded(seconds: Double) { state.withLock { $0.decoded += 1 } }
    func queued(seconds: Double) { state.withLock { $0.queued += 1 } }
    func inferred(seconds: Double) { state.withLock { $0.inferred += 1 } }
    func dispatched(size: Int, reason: DispatchReason) { state.withLock { $0.batches.append(size) } }
    func refused() { state.withLock { $0.refused += 1 } }
    func dropped(reason: DropReason) {
        state.withLock { if reason == .departed { $0.departed += 1 } else { $0.expired += 1 } }
    }
}
