import Base
import Recognition

/// The evidence about a track or a tapped place: the detector's scores in each frame, the classified crops, and the
/// resulting name. Older evidence weighs less. A pure value.
struct RegionEvidence: Sendable {
    /// The share of its weight that older evidence keeps when new evidence is added: for the detector's scores, and for
    /// classified crops.
    private static let memory = (sight: Float(0.92), look: Float(0.85))
    /// A name with this confidence is sure, so the next crop may wait longer.
    private static let sure: Float = 0.85
    /// A place that has grown by this factor since its largest crop is classified again.
    private static let growth = 1.5
    /// Milliseconds between two crops: at first, for an unsure name, and for a sure one.
    private static let rest = (first: 90.0, unsure: 600.0, sure: 4_000.0)
    /// The confidence at which a name appears, and the one below which it disappears. Animals and other objects differ,
    /// since an object's confidence comes from the detector.
    private static let shown = (from: Float(0.5), until: Float(0.4))
    private static let shownThing = (from: Float(0.35), until: Float(0.3))
    /// From this mean score on, the detector has no doubt that the box holds something whole.
    private static let whole: Float = 0.5
    /// A crop contradicts the name if it gives the name less than this and another name more than ``sure``. After this
    /// many contradictions in a row the evidence starts again.
    private static let contradiction: Float = 0.05
    private static let contradictions = 2
    /// The number of sightings after which a named place is reported even though no crop of it was classified.
    private static let patience = 4

    private var sums: [Float] = []
    private var labels: [String] = []
    private var weight: Float = 0
    /// The detector's scores in the last frame.
    private var latest: DetectorScores?
    /// Whether the detector's likeliest class differs from the average.
    private var isChanged = false
    private(set) var votes = OutputVotes()
    /// The classifier's vote over all crops. Nil before the first.
    private(set) var classification: Classification?
    private(set) var looks = 0
    private(set) var name: RegionName?
    private var side: Float = 0
    private var largest = 0.0
    private var lastLook = -Double.infinity
    private var contradicted = 0
    private var wasShown = false

    // MARK: Taking in

    /// Adds the detector's scores of one frame.
    mutating func add(_ box: DetectedBox) {
        guard let seen = box.scores else { return }
        isChanged = scores.map { $0.labels == seen.labels && $0.likeliest != seen.likeliest } ?? false
        latest = seen
        if labels != seen.labels { (labels, sums, weight) = (seen.labels, seen.scores.map { _ in 0 }, 0) }
        for index in sums.indices { sums[index] = sums[index] * Self.memory.sight + seen.scores[index] }
        weight = weight * Self.memory.sight + 1
    }

    /// Adds the result of a classified crop.
    ///
    /// - Parameters:
    ///   - side: the side of the crop, in pixels of the picture.
    ///   - area: the area of the place, as a share of the picture.
    /// - Returns: whether another object has taken the place, so that the older evidence no longer applies.
    mutating func take(
        _ result: FramePartResult, side: Float, area: Double, by names: RegionNames?, atMilliseconds now: Double
    ) -> Bool {
        if let names, let name, looks > 0 {
            let single = names.name(detector: latest, heads: result.single, side: side)
            let isOther = single.confidence >= Self.sure && single.confidence(of: name.label) ?? 0 < Self.contradiction
            contradicted = isOther && single.label != name.label ? contradicted + 1 : 0
        }
        lastLook = now
        // One crop may be wrong. Only two in a row show that the object has changed.
        guard contradicted == 0 else { return contradicted >= Self.contradictions }
        votes = result.votes
        classification = result.classification
        self.side = max(self.side, side)
        largest = max(largest, area)
        looks += 1
        return false
    }

    /// The evidence about the object that took the place.
    func renewed() -> RegionEvidence {
        var evidence = RegionEvidence()
        if let latest { (evidence.labels, evidence.sums, evidence.weight) = (latest.labels, latest.scores, 1) }
        evidence.latest = latest
        return evidence
    }

    /// Finds the name from all evidence.
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

    /// The detector's mean scores.
    var scores: DetectorScores? {
        weight > 0 ? DetectorScores(labels: labels, scores: sums.map { $0 / weight }) : nil
    }

    /// The detector's mean certainty that something whole with this name is there.
    var strength: Float { name.flatMap { scores?.strength(for: $0.label) } ?? 0 }

    var isShown: Bool {
        guard let name else { return false }
        // A tapped place has no detector scores.
        guard weight > 0 else { return name.confidence >= (wasShown ? Self.shown.until : Self.shown.from) }
        guard Animals.family(of: name.label) == RegionNames.animal else {
            return name.confidence >= (wasShown ? Self.shownThing.until : Self.shownThing.from)
        }
        return name.confidence * min(1, strength / Self.whole) >= (wasShown ? Self.shown.until : Self.shown.from)
    }

    /// Whether a place that the classifier should see is reported. The detector takes many a stone for an animal
    /// without a name, so only a classified crop confirms such an animal.
    func isCredible(afterSightings sightings: Int) -> Bool {
        looks > 0 || sightings >= Self.patience && name?.label != RegionNames.animal
    }

    var isSure: Bool {
        guard let name, looks > 0, name.confidence >= Self.sure else { return false }
        return name.kind != nil || !Animals.labels.contains(name.label)
    }

    /// Whether another crop is due.
    ///
    /// - Parameter consensus: the number of crops that come in quick succession.
    func isDue(area: Double, consensus: Int, atMilliseconds now: Double) -> Bool {
        if looks == 0 || area > largest * Self.growth { return true }
        let pause = isSure && !isChanged ? Self.rest.sure : looks < consensus ? Self.rest.first : Self.rest.unsure
        return now - lastLook >= pause
    }
}
