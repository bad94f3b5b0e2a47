import Base

/// Which head answers, and whether it should be believed.
package struct Decision: Equatable, Sendable {
    /// Name of the head that answers.
    package let head: String
    /// `cat`, `dog`, or `other`: what presence found likeliest; nil for models without that head.
    package let presence: String?
    /// The answer's first label (for breeds, times the likelihood of a cat or dog) is less likely than the head's
    /// threshold in the manifest, or the head was asked for although presence found something else.
    package let abstained: Bool
    /// What stands for the first label is wider than the label, or it was not proven on photos.
    let isApproximate: Bool
    /// No label of the head is above zero per cent: what it saw is its background, or a class that is never answered.
    package let isEmpty: Bool
    /// The caller insisted on the head.
    let isRequested: Bool
    /// Of a head that the caller insisted on: what it saw is rather its background than all of its labels together.
    let isUnlikely: Bool
    /// How likely the network itself finds a person, 0…1, where that is the answer, before the objects; nil: it is not.
    package var person: Float?
    /// What kind of thing it is, of what is neither a cat nor a dog; nil where the head `kinds` is missing or not sure.
    var kind: Kind?

    /// The label of a person, among the kinds, among boxes and in answers.
    package static let person = "person"

    /// Cats if presence says cat, dogs if dog, otherwise zoo or fruit where they are confident (the surer of the two),
    /// otherwise objects; a model with none of these answers with its first head.
    ///
    /// Zoo is confident where the manifest does not say from when on; fruit, which is not what most photos show, is not.
    ///
    /// - Parameter requested: a head the caller insists on.
    package init(answers: [HeadAnswer], heads: HeadSet, requested: String?) {
        func answer(_ name: String) -> HeadAnswer? { answers.first { $0.name == name } }
        let presence = answer("presence")?.first?.label
        self.presence = presence

        let kinds = presence == "other" ? answer("kinds")?.first : nil
        kind =
            kinds.flatMap { $0.confidence >= heads.abstainBelow("kinds") ? Kind(rawValue: $0.label) : nil }
            .flatMap { $0 == .cat || $0 == .dog ? nil : $0 }
        let person = kinds.flatMap { first in
            let from = heads.answerFrom("kinds") ?? .infinity
            return requested == nil && first.label == Self.person && first.confidence >= from ? first.confidence : nil
        }

        let chosen: HeadAnswer?
        if let requested, let answer = answer(requested) {
            chosen = answer
        } else if presence == "cat", let cats = answer("cats") {
            chosen = cats
        } else if presence == "dog", let dogs = answer("dogs") {
            chosen = dogs
        } else if person != nil, let objects = answer("objects") {
            chosen = objects
        } else if let sure = Self.confident([("zoo", 0), ("fruit", nil)], among: answers, heads) {
            chosen = sure
        } else {
            chosen = answer("objects") ?? answers.first { $0.name != "presence" } ?? answers.first
        }
        head = chosen?.name ?? ""
        self.person = head == "objects" ? person : nil
        isRequested = requested != nil && head == requested
        isEmpty = self.person == nil && chosen?.listed(1).isEmpty ?? true
        isUnlikely = isRequested && (chosen?.probabilities.reduce(0, +) ?? 0) < 0.5
        isApproximate =
            chosen?.first.map { heads.status(of: $0.label, in: chosen?.name ?? "") == .approximate } ?? false
        let isContradicted =
            (head == "cats" && presence != "cat" || head == "dogs" && presence != "dog") && presence != nil
        // A breed can be no surer than that there is a cat or a dog.
        let ofPresence = head == "cats" || head == "dogs" ? answer("presence")?.first?.confidence ?? 1 : 1
        abstained =
            self.person == nil
            && (isContradicted || isEmpty || (chosen?.first?.confidence ?? 0) * ofPresence < heads.abstainBelow(head))
    }

    /// The answer is a person that a detector found.
    package init(personInsteadOf decision: Decision) {
        head = "objects"
        presence = decision.presence
        abstained = false
        isApproximate = false
        isEmpty = false
        isRequested = false
        isUnlikely = false
    }

    /// The surest of the heads that reach their `answer_from`; the earlier of equal ones.
    ///
    /// - Parameter candidates: heads, each with what counts where the manifest does not say; nil: it does not answer.
    private static func confident(
        _ candidates: [(head: String, from: Float?)], among answers: [HeadAnswer], _ heads: HeadSet
    ) -> HeadAnswer? {
        var surest: (answer: HeadAnswer, confidence: Float)?
        for candidate in candidates {
            guard let answer = answers.first(where: { $0.name == candidate.head }), let best = answer.first,
                let threshold = heads.answerFrom(candidate.head) ?? candidate.from, best.confidence >= threshold,
                best.confidence > surest?.confidence ?? -1
            else { continue }
            surest = (answer, best.confidence)
        }
        return surest?.answer
    }
}
