import Base
import Recognition

/// All that is known of what one place of a stream shows, a track or a tapped place: what the detector gave it in each frame,
/// what closer looks have shown, and the name that follows from both. Earlier sights count less and less. A pure value.
struct RegionEvidence: Sendable {
    /// What is left of a sight of the detector, and of a closer look, when the next one comes.
    private static let memory = (sight: Float(0.92), look: Float(0.85))
    /// From this confidence on a name needs no second look for a while.
    private static let sure: Float = 0.85
    /// How much larger than at the largest look so far a place has to be for another.
    private static let growth = 1.5
    /// Milliseconds between two looks: while the first come in, at an unsure name, at a sure one.
    private static let rest = (first: 90.0, unsure: 600.0, sure: 4_000.0)
    /// Confidence from which on a name is shown, and below which it is hidden again: of an animal, and of a thing, whose
    /// confidence is the detector's.
    private static let shown = (from: Float(0.5), until: Float(0.4))
    private static let shownThing = (from: Float(0.35), until: Float(0.3))
    /// The detector's mean score from which on there is no doubt that something whole is there.
    private static let whole: Float = 0.5
    /// A look that gives the name less than this, and another more than ``sure``, contradicts it; so many in a row begin anew.
    private static let contradiction: Float = 0.05
    private static let contradictions = 2

    private var sums: [Float] = []
    private var labels: [String] = []
    private var weight: Float = 0
    /// What the detector gave last.
    private var latest: DetectorScores?
    /// Whether the detector has changed its mind.
    private var isChanged = false
    private(set) var votes = OutputVotes()
    /// What the classifier says, voted over all looks; nil before the first.
    private(set) var classification: Classification?
    private(set) var looks = 0
    private(set) var name: RegionName?
    private var side: Float = 0
    private var largest = 0.0
    private var lastLook = -Double.infinity
    private var contradicted = 0
    private var wasShown = false

    // MARK: Taking in

    /// Takes what a detector gives to each class at this place in one frame.
    mutating func add(_ box: DetectedBox) {
        guard let seen = box.scores else { return }
        isChanged = scores.map { $0.labels == seen.labels && $0.likeliest != seen.likeliest } ?? false
        latest = seen
        if labels != seen.labels { (labels, sums, weight) = (seen.labels, seen.scores.map { _ in 0 }, 0) }
        for index in sums.indices { sums[index] = sums[index] * Self.memory.sight + seen.scores[index] }
        weight = weight * Self.memory.sight + 1
    }

    /// Takes a closer look.
    ///
    /// - Parameters:
    ///   - side: of the crop, in pixels of the picture.
    ///   - area: of the place, as a share of the picture.
    /// - Returns: whether it shows something else than the looks before, so that what was seen says nothing of it.
    mutating func take(
        _ result: FramePartResult, side: Float, area: Double, by names: RegionNames?, atMilliseconds now: Double
    ) -> Bool {
        if let names, let name, looks > 0 {
            let single = names.name(detector: latest, heads: result.single, side: side)
            let isOther = single.confidence >= Self.sure && single.confidence(of: name.label) ?? 0 < Self.contradiction
            contradicted = isOther && single.label != name.label ? contradicted + 1 : 0
        }
        lastLook = now
        // One look may be wrong: it takes two to say that this is something else.
        guard contradicted == 0 else { return contradicted >= Self.contradictions }
        votes = result.votes
        classification = result.classification
        self.side = max(self.side, side)
        largest = max(largest, area)
        looks += 1
        return false
    }

    /// What is known of what took the place.
    func renewed() -> RegionEvidence {
        var evidence = RegionEvidence()
        if let latest { (evidence.labels, evidence.sums, evidence.weight) = (latest.labels, latest.scores, 1) }
        evidence.latest = latest
        return evidence
    }

    /// Finds the name that all of it together gives.
    mutating func decide(by names: RegionNames?) {
        let scores = scores
        let best = scores?.likeliest
        if let names, let classification, scores == nil || best.map({ names.knows(labels[$0]) }) ?? false {
            name = names.name(detector: scores, heads: classification.heads, side: side)
        } else if let scores, let best {
            name = RegionNames.name(labels[best], scores.scores[best])
        }
        wasShown = isShown
    }

    // MARK: Asking

    /// What the detector gives to each class, on average.
    var scores: DetectorScores? {
        weight > 0 ? DetectorScores(labels: labels, scores: sums.map { $0 / weight }) : nil
    }

    /// How sure the detector is that something is there that may have the name, on average.
    var strength: Float { name.flatMap { scores?.strength(for: $0.label) } ?? 0 }

    /// Whether the name is sure enough to be shown.
    var isShown: Bool {
        guard let name else { return false }
        // Of a tapped place no detector has a say.
        guard weight > 0 else { return name.confidence >= (wasShown ? Self.shown.until : Self.shown.from) }
        guard Animals.family(of: name.label) == RegionNames.animal else {
            return name.confidence >= (wasShown ? Self.shownThing.until : Self.shownThing.from)
        }
        return name.confidence * min(1, strength / Self.whole) >= (wasShown ? Self.shown.until : Self.shown.from)
    }

    var isSure: Bool {
        guard let name, looks > 0, name.confidence >= Self.sure else { return false }
        return name.kind != nil || !Animals.labels.contains(name.label)
    }

    /// Whether another closer look is due.
    ///
    /// - Parameter consensus: looks that an unsure answer gets without rest.
    func isDue(area: Double, consensus: Int, atMilliseconds now: Double) -> Bool {
        if looks == 0 || area > largest * Self.growth { return true }
        let pause = isSure && !isChanged ? Self.rest.sure : looks < consensus ? Self.rest.first : Self.rest.unsure
        return now - lastLook >= pause
    }

    /// Weight of a look among those before it: a small crop shows less.
    static func weight(ofSide side: Float) -> Float { min(max(side / 160, 0.2), 1) }
}
