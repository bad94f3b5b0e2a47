import Base

/// The head that answers, and the reliability of its answer.
package struct Decision: Equatable, Sendable {
    /// The name of the head that answers.
    package let head: String
    /// `cat`, `dog`, or `other`: the likeliest label of presence. Nil for models without that head.
    package let presence: String?
    /// Whether the answer is unreliable: its first label is less likely than the head's `abstain_below` in the
    /// manifest. For breeds, the likelihood of a cat or dog counts as a factor. Also true if presence contradicts a
    /// requested head, or if the photo is unlike all that a trained model learnt.
    package internal(set) var abstained: Bool
    /// Whether the first label is recognised by something wider, or was not proven on photos.
    private(set) var isApproximate = false
    /// Whether no label of the head is above zero per cent, as for a background or a class never answered.
    package private(set) var isEmpty = false
    /// Whether the caller asked for the head.
    private(set) var isRequested = false
    /// Whether a requested head saw its background rather than any of its labels.
    private(set) var isUnlikely = false
    /// The network's own probability of a person, 0…1, if that is the answer. Nil if it is not.
    package var person: Float?
    /// The kind of thing, if it is neither a cat nor a dog. Nil if the head `kinds` is missing or uncertain.
    var kind: Kind?

    /// The head that tells what a drawing shows. Its background is a photo.
    static let drawings = "drawings"

    /// The label of a person, in the head `kinds`, in boxes and in answers.
    package static let person = "person"

    /// Chooses drawings if the picture is more certainly a drawing than `answer_from`, then cats or dogs if presence
    /// says so, otherwise the more confident of zoo and fruit, otherwise objects. A model without these answers with
    /// its first head.
    ///
    /// Without a threshold in the manifest, zoo always counts as confident and fruit never: few photos show fruit.
    ///
    /// - Parameter requested: a head that the caller asks for.
    package init(answers: [HeadAnswer], heads: HeadSet, requested: String?) {
        let isDrawing =
            requested == nil
            && Self.isDrawing(answers[Self.drawings], kinds: answers["kinds"], from: heads.answerFrom(Self.drawings))
        let seen = answers["presence"]?.first?.label
        let presence = isDrawing ? seen.map { _ in "other" } : seen
        self.presence = presence

        let kinds = presence == "other" ? answers["kinds"]?.first : nil
        let sureKind = kinds.flatMap { $0.confidence >= heads.abstainBelow("kinds") ? Kind(rawValue: $0.label) : nil }
        kind = isDrawing ? .art : sureKind == .cat || sureKind == .dog ? nil : sureKind
        let person = kinds.flatMap { first in
            let from = heads.answerFrom("kinds") ?? .infinity
            return requested == nil && !isDrawing && first.label == Self.person && first.confidence >= from
                ? first.confidence : nil
        }

        let chosen: HeadAnswer?
        if let requested, let answer = answers[requested] {
            chosen = answer
        } else if isDrawing {
            chosen = answers[Self.drawings]
        } else if presence == "cat", let cats = answers["cats"] {
            chosen = cats
        } else if presence == "dog", let dogs = answers["dogs"] {
            chosen = dogs
        } else if person != nil, let objects = answers["objects"] {
            chosen = objects
        } else if let sure = Self.confident([("zoo", 0), ("fruit", nil)], among: answers, heads) {
            chosen = sure
        } else {
            chosen = answers["objects"] ?? answers.first { $0.name != "presence" } ?? answers.first
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
        // A breed cannot be more certain than the presence of a cat or dog.
        let ofPresence = head == "cats" || head == "dogs" ? answers["presence"]?.first?.confidence ?? 1 : 1
        abstained =
            self.person == nil
            && (isContradicted || isEmpty || (chosen?.first?.confidence ?? 0) * ofPresence < heads.abstainBelow(head))
    }

    package init(personInsteadOf decision: Decision) {
        head = "objects"
        presence = decision.presence
        abstained = false
    }

    /// - Parameter isApproximate: whether the first label is not proven to be exactly what the photo shows.
    init(_ agreed: AgreedAnswer, isApproximate: Bool) {
        head = agreed.head
        presence =
            switch agreed.head {
            case "cats": "cat"
            case "dogs": "dog"
            default: "other"
            }
        abstained = !agreed.isSure
        self.isApproximate = isApproximate
    }

    /// Empty areas, gradients, noise and writing look like drawings, too. The head `kinds` surely calls them an object,
    /// and few drawings of animals. What a drawing of an object shows is then as sure.
    private static let object = (label: "object", surely: Float(0.6), drawing: Float(0.85))

    /// - Parameter from: the least probability of a drawing. Nil means that the head never answers by itself.
    private static func isDrawing(_ drawings: HeadAnswer?, kinds: HeadAnswer?, from: Float?) -> Bool {
        guard let drawings, let from, drawings.probabilities.reduce(0, +) >= from else { return false }
        let isObject = kinds?.confidence(of: object.label) ?? 0 >= object.surely
        return !isObject || drawings.first?.confidence ?? 0 >= object.drawing
    }

    /// The most confident head among those that reach their `answer_from`. The first of equal ones wins.
    ///
    /// - Parameter candidates: heads with the default threshold. A head whose default is nil needs one in the manifest.
    private static func confident(
        _ candidates: [(head: String, from: Float?)], among answers: [HeadAnswer], _ heads: HeadSet
    ) -> HeadAnswer? {
        var surest: (answer: HeadAnswer, confidence: Float)?
        for candidate in candidates {
            guard let answer = answers[candidate.head], let best = answer.first,
                let threshold = heads.answerFrom(candidate.head) ?? candidate.from, best.confidence >= threshold,
                best.confidence > surest?.confidence ?? -1
            else { continue }
            surest = (answer, best.confidence)
        }
        return surest?.answer
    }
}
