/// The outputs of a model for one photo: each tensor without the batch dimension.
package struct ModelOutput: Sendable, Equatable {
    /// Flattened values in the order of ``InferenceEngine/outputNames``.
    package internal(set) var values: [[Float]]
    /// The time of the further networks of a cascade. Nil if none ran. It does not count when outputs are compared.
    package var secondStage: Duration?
}

extension ModelOutput {
    package static func == (one: ModelOutput, other: ModelOutput) -> Bool { one.values == other.values }

    /// The mean of several outputs of one model. For logits, this is the geometric mean of the probabilities.
    ///
    /// - Precondition: `outputs` is not empty.
    package init(meanOf outputs: [ModelOutput]) {
        guard outputs.count > 1 else {
            self = outputs[0]
            return
        }
        self.init(
            values: outputs[0].values.indices.map { tensor in
                outputs[0].values[tensor].indices.map { index in
                    outputs.reduce(Float(0)) { $0 + $1.values[tensor][index] } / Float(outputs.count)
                }
            })
    }
}

/// A compiled model. The initialiser loads and compiles it.
package protocol InferenceEngine: Sendable {
    /// The names of the outputs, in the order of ``ModelOutput/values``.
    var outputNames: [String] { get }
    /// The number of values per photo in each output.
    var outputSizes: [Int] { get }
    /// The shape of each output for one photo, without the batch dimension.
    var outputShapes: [[Int]] { get }
    /// Bytes per photo: height × width × 3 (RGB8, rows top to bottom) or the tensor's; see ``InputForm``.
    var inputSize: Int { get }
    /// The number of calls of ``infer(_:lane:)`` that may run at the same time.
    var lanes: Int { get }
    /// The bytes that parts of the network took which were compiled after it was loaded.
    var deferredMemory: Int { get }

    /// The network's outputs for a photo. Every lane gives the same bits. Blocks.
    ///
    /// - Parameters:
    ///   - photo: ``inputSize`` bytes.
    ///   - lane: 0 ..< ``lanes``; one thread at a time may use a lane.
    /// - Throws: ``RecognitionError/engine(_:)``.
    func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput

    /// Runs only the first network of a cascade, because the second does not provide features.
    func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput
}

extension InferenceEngine {
    package var outputShapes: [[Int]] { outputSizes.map { [$0] } }
    package var deferredMemory: Int { 0 }

    package func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        try infer(photo, lane: lane)
    }
}
