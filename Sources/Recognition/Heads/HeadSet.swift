import Base

/// Converts a network's outputs to the answers of its heads, by the manifest.
package struct HeadSet: Sendable {
    private struct Direct {
        let name: String
        let head: ModelManifest.Head
        let output: Int
        let temperature: Float
        /// Classes that are left out of the answer, ascending.
        let unanswered: [Int]
    }

    private struct Derived {
        let name: String
        let labels: [String]
        let source: String
        /// For each label, the indices in the source head that are summed.
        let classes: [[Int]]
    }

    /// The order of known heads. Others follow by name.
    static let order = ["presence", "kinds", "cats", "dogs", "zoo", "objects", "fruit", "drawings"]

    /// The names of all heads, in the order of answers.
    package let names: [String]
    private let direct: [Direct]
    private let derived: [Derived]
    private let calibration: [String: ModelManifest.Calibration]
    private let statuses: [String: [String: RecognitionStatus]]
    private let people: Set<String>

    /// - Parameter outputNames: in the order of ``ModelOutput/values``.
    package init(manifest: ModelManifest, outputNames: [String]) {
        let calibration = manifest.calibration ?? [:]
        self.calibration = calibration
        people = Set(manifest.people ?? [])
        direct = manifest.heads.compactMap { name, head in
            outputNames.firstIndex(of: head.output ?? name).map {
                Direct(
                    name: name, head: head, output: $0, temperature: calibration[name]?.temperature ?? 1,
                    unanswered: head.unanswered)
            }
        }
        statuses = manifest.heads.compactMapValues { $0.status?.mapValues(\.status) }
            .merging(
                (manifest.derivedHeads ?? [:]).mapValues { head in
                    Dictionary(head.labels.map { ($0.label, $0.status) }) { first, _ in first }
                }
            ) { trained, _ in trained }
        derived = (manifest.derivedHeads ?? [:]).map { name, head in
            let known = head.labels.filter { $0.status != .notYet }
            return Derived(
                name: name, labels: known.map(\.label), source: head.from,
                classes: known.map { $0.classes.map(\.index) })
        }
        names = (direct.map(\.name) + derived.map(\.name)).sorted {
            (Self.order.firstIndex(of: $0) ?? Self.order.count, $0)
                < (Self.order.firstIndex(of: $1) ?? Self.order.count, $1)
        }
    }

    /// The answers of all heads, in the order of ``names``.
    package func answers(to output: ModelOutput) -> [HeadAnswer] {
        var answers: [String: HeadAnswer] = [:]
        for item in direct {
            answers[item.name] = HeadAnswer(
                name: item.name, labels: item.head.labels,
                probabilities: item.head.probabilities(of: output.values[item.output], temperature: item.temperature))
        }
        for head in derived {
            guard let source = answers[head.source] else { continue }
            answers[head.name] = HeadAnswer(
                name: head.name, labels: head.labels,
                probabilities: head.classes.map { $0.reduce(0) { $0 + source.probabilities[$1] } })
        }
        // This step is last, because derived heads count in the network's classes.
        for item in direct {
            for index in item.unanswered.reversed() { answers[item.name]?.remove(at: index) }
        }
        return names.compactMap { answers[$0] }
    }

    /// The answers of all heads, and the choice among them.
    ///
    /// - Parameter requested: a head that the caller asks for.
    func decide(on output: ModelOutput, requested: String? = nil) -> (answers: [HeadAnswer], decision: Decision) {
        let answers = answers(to: output)
        return (answers, Decision(answers: answers, heads: self, requested: requested))
    }

    /// The labels of a head's answers, in their order. Empty if the model does not have the head.
    package func labels(of head: String) -> [String] {
        if let item = direct.first(where: { $0.name == head }) {
            return item.head.labels.indices.filter { !item.unanswered.contains($0) }.map { item.head.labels[$0] }
        }
        return derived.first { $0.name == head }?.labels ?? []
    }

    /// The reliability of a head's label. Labels without an entry in the manifest count as recognised.
    func status(of label: String, in head: String) -> RecognitionStatus { statuses[head]?[label] ?? .recognised }

    /// The least probability of a person in `kinds` for asking a detector. Without it, a detector would be asked about
    /// 7 of 219 photos of people and 370 of 2,600 others. All of the 7 reach it, and 29 of the 370.
    static let leastHintOfPerson: Float = 0.005

    /// Whether a person in the picture may explain the answer: it names something that people wear or hold, or is
    /// uncertain. A detector then looks for the person. False if the caller asked for a head, if `kinds` has no hint of
    /// a person, or if the model names no such labels.
    ///
    /// - Parameter answers: the answers of all heads.
    package func mayHidePerson(_ decision: Decision, answers: [HeadAnswer]) -> Bool {
        guard !people.isEmpty, !decision.isRequested, decision.person == nil, decision.head != Decision.drawings,
            answers["kinds"]?.confidence(of: Decision.person) ?? 1 >= Self.leastHintOfPerson
        else { return false }
        let first = answers[decision.head]?.first?.label
        return decision.abstained || decision.head == "objects" && first.map(people.contains) ?? false
    }

    /// The head abstains if its first label is less confident than this.
    package func abstainBelow(_ head: String) -> Float { calibration[head]?.abstainBelow ?? 0 }

    /// The least confidence of its first label with which the head answers on its own. Nil if the manifest gives none.
    func answerFrom(_ head: String) -> Float? { calibration[head]?.answerFrom }
}
