import Base

/// A further compilation that few requests need: of a cascade's other network, or of the same network for its own
/// tensor. It is compiled for the first of them, and until then takes no memory and no time.
final class DeferredEngine: InferenceEngine {
    private struct State {
        var engine: (any InferenceEngine)?
        var memory = 0
    }

    let outputNames: [String]
    /// The sizes that the network must have.
    let outputSizes: [Int]
    let inputSize: Int
    let lanes: Int

    private let state = Locked(State())
    /// Held while the network is compiled.
    private let compiling = Locked(())
    /// One for each lane of the network, which may have fewer than the first.
    private let turns: [Locked<Void>]
    private let residentMemory: @Sendable () -> Int
    private let make: @Sendable () throws(RecognitionError) -> any InferenceEngine

    /// - Parameters:
    ///   - first: the network that every request needs. This one gives outputs of the same sizes.
    ///   - outputs: the names of this network's outputs. Each has to be one of the first network's.
    ///   - inputSize: the size of its input, if that is not the first network's.
    ///   - residentMemory: returns the memory of the process in bytes.
    ///   - make: compiles the network and runs it once.
    init(
        like first: any InferenceEngine, outputs: [String], inputSize: Int? = nil,
        residentMemory: @escaping @Sendable () -> Int,
        make: @escaping @Sendable () throws(RecognitionError) -> any InferenceEngine
    ) {
        outputNames = outputs
        outputSizes = outputs.map { name in
            first.outputNames.firstIndex(of: name).map { first.outputSizes[$0] } ?? 0
        }
        self.inputSize = inputSize ?? first.inputSize
        lanes = first.lanes
        turns = (0..<first.lanes).map { _ in Locked(()) }
        self.residentMemory = residentMemory
        self.make = make
    }

    /// The growth of the process when the network was compiled, in bytes.
    var deferredMemory: Int { state.withLock { $0.memory } }

    var isPrepared: Bool { state.withLock { $0.engine != nil } }

    /// Compiles the network, unless that is done. Blocks for 0.1 s or longer. After an error the next call tries again.
    @discardableResult
    func prepare() throws(RecognitionError) -> any InferenceEngine {
        if let engine = state.withLock({ $0.engine }) { return engine }
        return try compiling.withLock { _ throws(RecognitionError) in
            if let engine = state.withLock({ $0.engine }) { return engine }
            let before = residentMemory()
            let engine = try make()
            guard engine.outputSizes == outputSizes, engine.inputSize == inputSize else {
                throw .engine("outputs \(outputNames) have \(engine.outputSizes) values instead of \(outputSizes)")
            }
            state.withLock { $0 = State(engine: engine, memory: max(0, residentMemory() - before)) }
            return engine
        }
    }

    func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        let engine = try prepare()
        let part = lane % engine.lanes
        return try turns[part].withLock { _ throws(RecognitionError) in try engine.infer(photo, lane: part) }
    }
}
