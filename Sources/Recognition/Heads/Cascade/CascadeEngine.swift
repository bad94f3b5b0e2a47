/// Two networks as one: the first answers what it is sure of, the second is asked about the rest, on the same lane and
/// about the same input.
package final class CascadeEngine: InferenceEngine {
    package var outputNames: [String] { first.outputNames }
    package var outputSizes: [Int] { first.outputSizes }
    package var outputShapes: [[Int]] { first.outputShapes }
    package var inputSize: Int { first.inputSize }
    package var lanes: Int { first.lanes }

    private let first: any InferenceEngine
    private let second: any InferenceEngine
    private let rule: CascadeRule

    /// - Throws: ``RecognitionError/engine(_:)`` when the networks do not fit together.
    package init(
        first: any InferenceEngine, second: any InferenceEngine, manifest: ModelManifest,
        cascade: ModelManifest.Cascade
    ) throws(RecognitionError) {
        guard first.inputSize == second.inputSize, first.lanes <= second.lanes else {
            throw .engine("\(cascade.file) does not read the input of \(manifest.file)")
        }
        for output in cascade.outputs {
            guard let one = first.outputNames.firstIndex(of: output),
                let other = second.outputNames.firstIndex(of: output)
            else { throw .engine("not both networks of the cascade have an output \"\(output)\"") }
            guard first.outputSizes[one] == second.outputSizes[other] else {
                throw .engine(
                    "output \"\(output)\" has \(first.outputSizes[one]) values in \(manifest.file) and "
                        + "\(second.outputSizes[other]) in \(cascade.file)")
            }
        }
        self.first = first
        self.second = second
        rule = CascadeRule(
            manifest: manifest, cascade: cascade, first: first.outputNames, second: second.outputNames)
    }

    package func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        let output = try first.infer(photo, lane: lane)
        guard rule.asksSecond(about: output) else { return output }
        let start = ContinuousClock.now
        let opinion = try second.infer(photo, lane: lane)
        return ModelOutput(values: rule.joined(output, opinion), secondStage: ContinuousClock.now - start)
    }

    package func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        try first.infer(photo, lane: lane)
    }
}
