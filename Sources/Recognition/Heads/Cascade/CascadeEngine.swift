import Base

/// Several networks as one. The first gives the answers that it is sure of. The second is asked about the rest, and a
/// specialist about breeds that stay uncertain. All use the same lane and the same input.
///
/// Only the outputs decide which networks are asked, so the same photo always takes the same way, whatever the caller
/// asks for.
package final class CascadeEngine: InferenceEngine {
    /// A network that knows the classes of one head.
    private struct Specialist {
        let engine: any InferenceEngine
        let askedBelow: Float
        /// The factors of the logits so far and of this network's.
        let factors: [Float]
        /// The position of the head's output in ``ModelOutput/values``.
        let output: Int
    }

    package var outputNames: [String] { first.outputNames }
    package var outputSizes: [Int] { first.outputSizes }
    package var outputShapes: [[Int]] { first.outputShapes }
    package var inputSize: Int { first.inputSize }
    package var lanes: Int { first.lanes }
    package var deferredMemory: Int {
        specialists.values.reduce(second.deferredMemory) { $0 + $1.engine.deferredMemory }
    }

    private let first: any InferenceEngine
    private let second: any InferenceEngine
    private let specialists: [String: Specialist]
    private let heads: HeadSet
    private let askedBelow: [String: Float]
    /// For each output its place in the second network, and the factors of both. Nil uses the first network alone.
    private let joins: [(place: Int, factors: [Float])?]

    /// - Parameter specialists: networks by head, each with one output for the head's values.
    /// - Throws: ``RecognitionError/engine(_:)`` if the networks do not fit together.
    package init(
        first: any InferenceEngine, second: any InferenceEngine, specialists: [String: any InferenceEngine] = [:],
        manifest: ModelManifest, cascade: ModelManifest.Cascade
    ) throws(RecognitionError) {
        guard first.inputSize == second.inputSize, first.lanes <= second.lanes else {
            throw .engine("\(cascade.file) does not read the input of \(manifest.file)")
        }
        var joins: [(place: Int, factors: [Float])?] = first.outputNames.map { _ in nil }
        for output in cascade.outputs {
            guard let one = first.outputNames.firstIndex(of: output),
                let other = second.outputNames.firstIndex(of: output)
            else { throw .engine("not both networks of the cascade have an output \"\(output)\"") }
            guard first.outputSizes[one] == second.outputSizes[other] else {
                throw .engine(
                    "output \"\(output)\" has \(first.outputSizes[one]) values in \(manifest.file) and "
                        + "\(second.outputSizes[other]) in \(cascade.file)")
            }
            if let factors = cascade.weights[output], factors.count == 2 { joins[one] = (other, factors) }
        }
        var known: [String: Specialist] = [:]
        for (head, engine) in specialists {
            guard let output = first.outputNames.firstIndex(of: head), engine.inputSize == first.inputSize,
                first.lanes <= engine.lanes, engine.outputSizes == [first.outputSizes[output]]
            else { throw .engine("the specialist for \"\(head)\" does not fit \(manifest.file)") }
            guard let rule = cascade.specialists?[head], rule.weights.count == 2 else { continue }
            known[head] = Specialist(
                engine: engine, askedBelow: rule.askedBelow, factors: rule.weights, output: output)
        }
        self.first = first
        self.second = second
        self.specialists = known
        self.joins = joins
        askedBelow = cascade.askedBelow
        heads = HeadSet(manifest: manifest, outputNames: first.outputNames)
    }

    package func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        var output = try first.infer(photo, lane: lane)
        let start = ContinuousClock.now
        var (answers, decision) = heads.decide(on: output)
        if asksSecond(about: decision, answers) {
            let other = try second.infer(photo, lane: lane).values
            let values = zip(output.values, joins).map { values, join in
                join.map { Self.sum(values, other[$0.place], $0.factors) } ?? values
            }
            output = ModelOutput(values: values, secondStage: ContinuousClock.now - start)
            if !specialists.isEmpty { (answers, decision) = heads.decide(on: output) }
        }
        guard let specialist = specialists[decision.head], let best = answers[decision.head]?.first,
            best.confidence < specialist.askedBelow
        else { return output }
        var values = output.values
        let opinion = try specialist.engine.infer(photo, lane: lane).values[0]
        values[specialist.output] = Self.sum(values[specialist.output], opinion, specialist.factors)
        return ModelOutput(values: values, secondStage: ContinuousClock.now - start)
    }

    package func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        try first.infer(photo, lane: lane)
    }

    /// Whether presence, or the head that would answer, is less certain than the manifest demands.
    private func asksSecond(about decision: Decision, _ answers: [HeadAnswer]) -> Bool {
        if let limit = askedBelow["presence"], let presence = answers["presence"]?.first, presence.confidence < limit {
            return true
        }
        if let person = decision.person { return person < askedBelow["kinds"] ?? 0 }
        return answers[decision.head]?.first?.confidence ?? 0 < askedBelow[decision.head] ?? 0
    }

    /// The weighted sum of two networks' logits.
    private static func sum(_ one: [Float], _ other: [Float], _ factors: [Float]) -> [Float] {
        zip(one, other).map { factors[0] * $0 + factors[1] * $1 }
    }
}
