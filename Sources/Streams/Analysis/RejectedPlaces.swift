/// What a fixed camera's detector sees again and again though it is not there: places whose tracks were looked at and not
/// believed. A new track at such a place begins with what is known of it. A pure value.
struct RejectedPlaces: Sendable {
    /// Places that are remembered, and for how long after the last track there, in milliseconds.
    private static let maximum = 32
    private static let memory = 60_000.0
    /// Intersection over union from which on a track is at the same place.
    private static let samePlace = 0.5

    private struct Place: Sendable {
        let box: BoundingBox
        let evidence: RegionEvidence
        let milliseconds: Double
    }

    private var places: [Place] = []

    /// Remembers what a track that is gone was, where nothing was there.
    mutating func add(_ box: BoundingBox, _ evidence: RegionEvidence, atMilliseconds now: Double) {
        guard evidence.looks > 0, !evidence.isShown else { return }
        places.removeAll { $0.box.overlap(with: box) >= Self.samePlace || now - $0.milliseconds > Self.memory }
        if places.count >= Self.maximum { places.removeFirst() }
        places.append(Place(box: box, evidence: evidence, milliseconds: now))
    }

    /// What is known of the place of a new track; nil for one that was never doubted.
    func evidence(at box: BoundingBox, atMilliseconds now: Double) -> RegionEvidence? {
        places.last { $0.box.overlap(with: box) >= Self.samePlace && now - $0.milliseconds <= Self.memory }?.evidence
    }
}
