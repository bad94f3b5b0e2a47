/// What one photo gives: each output tensor of the model, by name, without the batch dimension.
package struct ModelOutput: Sendable, Equatable {
    /// Flattened values in the order of ``InferenceEngine/outputNames``.
    package let values: [[Float]]
    /// How long the further networks of a cascade took; nil where none was asked. No part of what the output is: two
    /// outputs are equal when their values are.
    package let secondStage: Duration?

    package init(values: [[Float]], secondStage: Duration? = nil) {
        self.values = values
        self.secondStage = secondStage
    }

    package static func == (one: ModelOutput, other: ModelOutput) -> Bool { one.values == other.values }

    /// The mean of several outputs of one model: of logits, which multiplies what the pictures say as if they were
    /// independent and takes the root.
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

/// A compiled model. Loading and compiling is the initialiser's business; this is what remains.
package protocol InferenceEngine: Sendable {
    /// Names of the outputs, in the order of ``ModelOutput/values``.
    var outputNames: [String] { get }
    /// Values per photo of each output.
    var outputSizes: [Int] { get }
    /// Shape of each output for one photo, without the batch dimension.
    var outputShapes: [[Int]] { get }
    /// Bytes per photo: height × width × 3, RGB8, rows top to bottom; or of the network's tensor, see ``InputForm``.
    var inputSize: Int { get }
    /// How many calls of ``infer(_:lane:)`` may run at the same time.
    var lanes: Int { get }

    /// The network's outputs for a photo. They have the same bits whichever lane computes them. Blocks meanwhile.
    ///
    /// - Parameters:
    ///   - photo: ``inputSize`` bytes.
    ///   - lane: 0 ..< ``lanes``; one thread at a time may use a lane.
    /// - Throws: ``RecognitionError/engine(_:)``.
    func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput

    /// As ``infer(_:lane:)``, but only what the first network of a cascade says: the second knows none of its features.
    func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput
}

extension InferenceEngine {
    /// Vectors, where the engine does not know better.
    package var outputShapes: [[Int]] { outputSizes.map { [$0] } }

    /// All there is, of an engine that is no cascade.
    package func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        try infer(photo, lane: lane)
    }
}
