/// What one photo gives: each output tensor of the model, by name, without the batch dimension.
package struct ModelOutput: Sendable, Equatable {
    /// Flattened values in the order of ``InferenceEngine/outputNames``.
    package let values: [[Float]]
    /// How long the second network of a cascade took; nil where it was not asked. No part of what the output is: two
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
    init(meanOf outputs: [ModelOutput]) {
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
    /// How many calls of ``infer(_:lane:deliver:)`` may run at the same time.
    var lanes: Int { get }

    /// Runs a batch and hands each photo's output over as soon as it is there.
    ///
    /// The answer for a photo has the same bits whatever else is in the batch and whichever lane runs it.
    ///
    /// - Parameters:
    ///   - batch: photos of ``inputSize`` bytes each.
    ///   - lane: 0 ..< ``lanes``; one thread at a time may use a lane.
    ///   - deliver: called once per photo, on this thread, in the order of the batch.
    func infer(
        _ batch: [[UInt8]], lane: Int, deliver: (_ index: Int, _ output: Result<ModelOutput, RecognitionError>) -> Void)
}

extension InferenceEngine {
    /// Vectors, where the engine does not know better.
    package var outputShapes: [[Int]] { outputSizes.map { [$0] } }
}
