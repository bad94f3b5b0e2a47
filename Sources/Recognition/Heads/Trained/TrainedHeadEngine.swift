/// A trained head on the network that it was trained on. That network belongs to another loaded model, so the head
/// costs no second network in memory and no compilation.
///
/// Both share the lanes: a lane works for one of them at a time; see `LaneScheduler`.
package final class TrainedHeadEngine: InferenceEngine {
    package let outputNames: [String]
    package let outputSizes: [Int]
    package var inputSize: Int { base.inputSize }
    package var lanes: Int { base.lanes }

    private let base: any InferenceEngine
    private let head: TrainedHead
    /// For each output its place among the base's outputs. Nil for the output of the head.
    private let places: [Int?]
    private let features: Int

    /// - Parameters:
    ///   - base: an engine whose first network has the features.
    ///   - features: the output of the base that the head reads.
    ///   - classes: the name of the head's own output, logits.
    ///   - outputs: the names of the wanted outputs.
    /// - Throws: `RecognitionError.engine(_:)` if head and base do not fit together.
    package init(
        _ head: TrainedHead, on base: any InferenceEngine, features: String, classes: String, outputs: [String]
    ) throws(RecognitionError) {
        guard let place = base.outputNames.firstIndex(of: features), base.outputSizes[place] == head.features else {
            throw .engine("the base has no output \"\(features)\" of \(head.features) values")
        }
        var places: [Int?] = []
        var sizes: [Int] = []
        for output in outputs {
            let index = base.outputNames.firstIndex(of: output)
            guard output == classes || index != nil else { throw .engine("the base has no output \"\(output)\"") }
            places.append(output == classes ? nil : index)
            sizes.append(output == classes ? head.labels.count : base.outputSizes[index ?? 0])
        }
        self.base = base
        self.head = head
        self.features = place
        self.places = places
        outputNames = outputs
        outputSizes = sizes
    }

    package func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        let seen = try base.inferFirstStage(photo, lane: lane).values
        return ModelOutput(values: places.map { $0.map { seen[$0] } ?? head.logits(of: seen[features]) })
    }
}
