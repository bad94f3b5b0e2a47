/// Several networks as one. The first gives the answers that it is sure of. The second is asked about the rest, and a
/// specialist about breeds that stay uncertain. All use the same lane and the same input.
package final class CascadeEngine: InferenceEngine {
    package var outputNames: [String] { first.outputNames }
    package var outputSizes: [Int] { first.outputSizes }
    package var outputShapes: [[Int]] { first.outputShapes }
    package var inputSize: Int { first.inputSize }
    package var lanes: Int { first.lanes }
    package var deferredMemory: Int {
        specialists.values.reduce(second.deferredMemory) { $0 + $1.deferredMemory }
    }

    private let first: any InferenceEngine
    private let second: any InferenceEngine
    private let specialists: [String: any InferenceEngine]
    private let rule: CascadeRule

    /// - Parameter specialists: networks by head, each with one output for the head's values.
    /// - Throws: ``RecognitionError/engine(_:)`` if the networks do not fit together.
    package init(
        first: any InferenceEngine, second: any InferenceEngine, specialists: [String: any InferenceEngine] = [:],
        manifest: ModelManifest, cascade: ModelManifest.Cascade
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
        for (head, specialist) in specialists {
            let size = first.outputNames.firstIndex(of: head).map { first.outputSizes[$0] }
            guard specialist.inputSize == first.inputSize, first.lanes <= specialist.lanes,
                specialist.outputSizes == [size]
            else { throw .engine("the specialist for \"\(head)\" does not fit \(manifest.file)") }
        }
        self.first = first
        self.second = second
        self.specialists = specialists
        rule = CascadeRule(manifest: manifest, cascade: cascade, first: first.outputNames, second: second.outputNames)
    }

    package func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        var output = try first.infer(photo, lane: lane)
        let start = ContinuousClock.now
        if rule.asksSecond(about: output) {
            output = ModelOutput(
                values: rule.joined(output, try second.infer(photo, lane: lane)),
                secondStage: ContinuousClock.now - start)
        }
        guard let (head, rule) = rule.specialist(for: output.values), let specialist = specialists[head] else {
            return output
        }
        var values = output.values
        let opinion = try specialist.infer(photo, lane: lane).values[0]
        values[rule.output] = zip(values[rule.output], opinion).map {
            rule.weights.cascade * $0 + rule.weights.own * $1
        }
        return ModelOutput(values: values, secondStage: ContinuousClock.now - start)
    }

    package func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        try first.infer(photo, lane: lane)
    }
}
