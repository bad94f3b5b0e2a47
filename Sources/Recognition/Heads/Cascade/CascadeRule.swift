import Base

/// Decides which photos the second network of a cascade is asked about, and combines both outputs.
///
/// Both depend only on the first network's output, so the same photo always takes the same way, whatever the caller
/// asks for.
struct CascadeRule: Sendable {
    private let heads: HeadSet
    private let askedBelow: [String: Float]
    /// Each output's place in the second network, and both factors. Nil uses the first network alone.
    private let parts: [Part?]

    private struct Part {
        let output: Int
        let first: Float
        let second: Float
    }

    /// The rule for the specialist of one head.
    struct Specialist: Sendable {
        let askedBelow: Float
        let weights: (cascade: Float, own: Float)
        /// The position of the head's output in ``ModelOutput/values``.
        let output: Int
    }

    private let specialists: [String: Specialist]

    /// - Parameters:
    ///   - first: the names of the first network's outputs, in the order of ``ModelOutput/values``.
    ///   - second: the names of the second network's outputs.
    init(manifest: ModelManifest, cascade: ModelManifest.Cascade, first: [String], second: [String]) {
        heads = HeadSet(manifest: manifest, outputNames: first)
        askedBelow = cascade.askedBelow
        parts = first.map { name in
            guard let factors = cascade.weights[name], factors.count == 2, let output = second.firstIndex(of: name)
            else { return nil }
            return Part(output: output, first: factors[0], second: factors[1])
        }
        specialists = (cascade.specialists ?? [:]).reduce(into: [:]) { found, entry in
            guard let output = first.firstIndex(of: entry.key), entry.value.weights.count == 2 else { return }
            found[entry.key] = Specialist(
                askedBelow: entry.value.askedBelow, weights: (entry.value.weights[0], entry.value.weights[1]),
                output: output)
        }
    }

    /// Whether presence, or the head that would answer, is less certain than the manifest demands.
    func asksSecond(about output: ModelOutput) -> Bool {
        let answers = heads.answers(to: output)
        if let limit = askedBelow["presence"], let presence = answers.first(where: { $0.name == "presence" })?.first,
            presence.confidence < limit
        {
            return true
        }
        let decision = Decision(answers: answers, heads: heads, requested: nil)
        if let person = decision.person { return person < askedBelow["kinds"] ?? 0 }
        let confidence = answers.first { $0.name == decision.head }?.first?.confidence ?? 0
        return confidence < askedBelow[decision.head] ?? 0
    }

    /// The head that would answer if it is uncertain and has a specialist.
    ///
    /// - Parameter values: the combined outputs of the previous networks.
    func specialist(for values: [[Float]]) -> (head: String, rule: Specialist)? {
        guard !specialists.isEmpty else { return nil }
        let answers = heads.answers(to: ModelOutput(values: values))
        let head = Decision(answers: answers, heads: heads, requested: nil).head
        guard let rule = specialists[head], let first = answers.first(where: { $0.name == head })?.first,
            first.confidence < rule.askedBelow
        else { return nil }
        return (head, rule)
    }

    /// The weighted sum of both networks' logits. Outputs that only the first has stay as they are.
    func joined(_ first: ModelOutput, _ second: ModelOutput) -> [[Float]] {
        zip(first.values, parts).map { values, part in
            guard let part else { return values }
            return zip(values, second.values[part.output]).map { part.first * $0 + part.second * $1 }
        }
    }
}
