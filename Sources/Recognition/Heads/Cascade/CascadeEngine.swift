import Base

/// Several networks as one. All use the same lane and the same input.
///
/// - The first gives the answers that it is sure of.
/// - If it is sure of the animal and not of the breed, a specialist for breeds looks at the photo. The answer stands if
///   the breed is sure then.
/// - In all other cases the second network is asked. If a breed is uncertain then, its specialist looks at the photo and
///   at the photo's mirror image.
///
/// Only the outputs decide which networks are asked, so the same photo always takes the same way, whatever the caller
/// asks for.
package final class CascadeEngine: InferenceEngine {
    private typealias Verdict = (answers: [HeadAnswer], decision: Decision)

    /// A network that knows the classes of one head.
    private struct Specialist {
        let engine: any InferenceEngine
        let rule: ModelManifest.Cascade.Specialist
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
    private let input: ModelManifest.Input
    private let form: InputForm
    /// For each output its place in the second network, and the factors of both. Nil uses the first network alone.
    private let joins: [(place: Int, factors: [Float])?]

    /// - Parameter specialists: networks by head, each with one output for the head's values.
    /// - Throws: ``RecognitionError/engine(_:)`` if the networks do not fit together.
    package init(
        first: any InferenceEngine, second: any InferenceEngine, specialists: [String: any InferenceEngine] = [:],
        manifest: ModelManifest, cascade: ModelManifest.Cascade, form: InputForm = .picture
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
            guard let rule = cascade.specialists?[head] else { continue }
            known[head] = Specialist(engine: engine, rule: rule, output: output)
        }
        self.first = first
        self.second = second
        self.specialists = known
        self.joins = joins
        askedBelow = cascade.askedBelow
        input = manifest.input
        self.form = form
        heads = HeadSet(manifest: manifest, outputNames: first.outputNames)
    }

    package func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        var output = try first.infer(photo, lane: lane)
        let start = ContinuousClock.now
        var verdict = heads.decide(on: output)
        // What a specialist says of the photo as it is.
        var look: (head: String, logits: [Float])?
        if let specialist = specialistBeforeSecond(verdict) {
            let logits = try specialist.engine.infer(photo, lane: lane).values[0]
            var joined = output
            joined.values[specialist.output] = Self.sum(
                output.values[specialist.output], logits, specialist.rule.firstWeights)
            joined.secondStage = ContinuousClock.now - start
            if Self.confidence(heads.decide(on: joined)) >= specialist.rule.sureFrom { return joined }
            look = (verdict.decision.head, logits)
        }
        if look != nil || asksSecond(verdict) {
            let other = try second.infer(photo, lane: lane).values
            for (place, join) in joins.enumerated() {
                guard let join else { continue }
                output.values[place] = Self.sum(output.values[place], other[join.place], join.factors)
            }
            output.secondStage = ContinuousClock.now - start
            verdict = heads.decide(on: output)
        }
        if look?.head != verdict.decision.head { look = nil }
        if let specialist = specialists[verdict.decision.head],
            look != nil || Self.confidence(verdict) < specialist.rule.askedBelow
        {
            var plain = look?.logits ?? []
            if look == nil { plain = try specialist.engine.infer(photo, lane: lane).values[0] }
            let mirrored = try specialist.engine.infer(form.mirrored(photo, input), lane: lane).values[0]
            output.values[specialist.output] = Self.sum(
                output.values[specialist.output], Self.sum(plain, mirrored, [0.5, 0.5]), specialist.rule.weights)
            output.secondStage = ContinuousClock.now - start
        }
        return output
    }

    package func inferFirstStage(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
        try first.infer(photo, lane: lane)
    }

    /// The specialist of the head that would answer, if the first network is sure of presence and unsure of the head.
    private func specialistBeforeSecond(_ verdict: Verdict) -> Specialist? {
        guard let specialist = specialists[verdict.decision.head], !isUnsure(ofPresence: verdict.answers),
            Self.confidence(verdict) < specialist.rule.askedBelow
        else { return nil }
        return specialist
    }

    /// Whether presence, or the head that would answer, is less certain than the manifest demands.
    private func asksSecond(_ verdict: Verdict) -> Bool {
        if isUnsure(ofPresence: verdict.answers) { return true }
        if let person = verdict.decision.person { return person < askedBelow["kinds"] ?? 0 }
        return Self.confidence(verdict) < askedBelow[verdict.decision.head] ?? 0
    }

    private func isUnsure(ofPresence answers: [HeadAnswer]) -> Bool {
        guard let limit = askedBelow["presence"], let presence = answers["presence"]?.first else { return false }
        return presence.confidence < limit
    }

    /// The probability of the answer's first label.
    private static func confidence(_ verdict: Verdict) -> Float {
        verdict.answers[verdict.decision.head]?.first?.confidence ?? 0
    }

    /// The weighted sum of two networks' logits.
    private static func sum(_ one: [Float], _ other: [Float], _ factors: [Float]) -> [Float] {
        zip(one, other).map { factors[0] * $0 + factors[1] * $1 }
    }
}
