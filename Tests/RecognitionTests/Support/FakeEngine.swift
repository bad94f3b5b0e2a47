import Base
@testable import Recognition

/// An engine without a network. A photo's output is its own first bytes, so that answers can be told apart.
///
/// A photo that begins with 255 waits until ``open()``. Tests keep the engine busy in this way.
final class FakeEngine: InferenceEngine, Sendable {
    let outputNames = ["echo"]
    let outputSizes = [2]
    let inputSize = 2
    let lanes: Int

    private let name: UInt8
    private let journal: Journal
    private let gate = Monitor(false)
    private let record: Locked<[UInt8]> = Locked([])

    /// The actions of several engines, in order.
    final class Journal: Sendable {
        private let entries: Locked<[UInt8]> = Locked([])

        init() {}

        /// The engine of each photo.
        var engines: [UInt8] { entries.withLock { $0 } }

        func note(_ engine: UInt8) { entries.withLock { $0.append(engine) } }
    }

    init(lanes: Int = 1, name: UInt8 = 0, journal: Journal = Journal()) {
        self.lanes = lanes
        self.name = name
        self.journal = journal
    }

    /// The first byte of every photo, in the order of arrival.
    var photos: [UInt8] { record.withLock { $0 } }

    /// Releases blocked photos, now and later.
    func open() {
        gate.withLock { $0 = true }
        gate.broadcast()
    }

    func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        record.withLock { $0.append(photo[0]) }
        journal.note(name)
        if photo[0] == 255 { gate.waitUntil { $0 ? .done(()) : .wait } }
        guard photo.count == inputSize else { throw .engine("\(photo.count) bytes") }
        return ModelOutput(values: [photo.map(Float.init)])
    }
}
