import Imaging

/// The places where a fixed camera's detector keeps reporting something that the classifier rejects. A new track at
/// such a place starts with the old evidence. A pure value.
struct RejectedPlaces: Sendable {
    /// The largest number of places, and how long each is remembered after its last track, in milliseconds.
    private static let maximum = 32
    private static let memory = 60_000.0
    /// The least intersection over union of two boxes at the same place.
    private static let samePlace = 0.5

    private struct Place: Sendable {
        let box: PictureRegion
        let evidence: RegionEvidence
        let milliseconds: Double
    }

    private var places: [Place] = []

    /// Remembers the place of an ended track if its crops were rejected.
    mutating func add(_ box: PictureRegion, _ evidence: RegionEvidence, atMilliseconds now: Double) {
        guard evidence.looks > 0, !evidence.isShown else { return }
        places.removeAll { $0.box.overlap(with: box) >= Self.samePlace || now - $0.milliseconds > Self.memory }
        if places.count >= Self.maximum { places.removeFirst() }
        places.append(Place(box: box, evidence: evidence, milliseconds: now))
    }

    /// The evidence about the place of a new track. Nil if the place is unknown.
    func evidence(at box: PictureRegion, atMilliseconds now: Double) -> RegionEvidence? {
        places.last { $0.box.overlap(with: box) >= Self.samePlace && now - $0.milliseconds <= Self.memory }?.evidence
    }
}
