/// Which head answers, and whether it should be believed.
struct Decision: Equatable, Sendable {
    /// Name of the head that answers.
    let head: String
    /// `cat`, `dog`, or `other`: what presence found likeliest; nil for models without that head.
    let presence: String?
    /// The answer's first label (for breeds, times the likelihood of a cat or dog) is less likely than the head's
    /// threshold in the manifest, or the head was asked for although presence found something else.
    let abstained: Bool
    /// What stands for the first label is wider than the label, or it was not proven on photos.
    let isApproximate: Bool

    /// Cats if presence says cat, dogs if dog, otherwise zoo where it is confident, otherwise objects; a model with
    /// none of these answers with its first head.
    ///
    /// - Parameter requested: a head the caller insists on.
    init(answers: [HeadAnswer], heads: HeadSet, requested: String?) {
        func answer(_ name: String) -> HeadAnswer? { answers.first { $0.name == name } }
        let presence = answer("presence")?.first?.label
        self.presence = presence

        let chosen: HeadAnswer?
        if let requested, let answer = answer(requested) {
            chosen = answer
        } else if presence == "cat", let cats = answer("cats") {
            chosen = cats
        } else if presence == "dog", let dogs = answer("dogs") {
            chosen = dogs
        } else if let zoo = answer("zoo"), let best = zoo.first, best.confidence >= heads.answerFrom("zoo") {
            chosen = zoo
        } else {
            chosen = answer("objects") ?? answers.first { $0.name != "presence" } ?? answers.first
        }
        head = chosen?.name ?? ""
        isApproximate =
            chosen?.first.map { heads.status(of: $0.label, in: chosen?.name ?? "") == .approximate } ?? false
        let isContradicted =
            (head == "cats" && presence != "cat" || head == "dogs" && presence != "dog") && presence != nil
        // A breed can be no surer than that there is a cat or a dog.
        let ofPresence = head == "cats" || head == "dogs" ? answer("presence")?.first?.confidence ?? 1 : 1
        abstained = isContradicted || (chosen?.first?.confidence ?? 0) * ofPresence < heads.abstainBelow(head)
    }
}
