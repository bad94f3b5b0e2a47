/// The visits of an object, from coming into sight until leaving. A pure value.
struct LapVisits: Sendable {
    /// The time out of sight that ends a visit, in milliseconds.
    private static let gap = 1_000.0

    /// The moment when an object came into sight, with its track.
    struct Visit: Sendable {
        let milliseconds: Double
        let track: Int
        let confidence: Double
    }

    /// The visits so far, while the timer has not chosen how to count.
    private(set) var all: [Visit] = []
    private var lastSeen: Double?
    /// Whether the object was in sight from the first frame, so that its arrival was not seen.
    private var isCut = true
    private var hasLooked = false

    /// Takes the objects in sight in a frame.
    ///
    /// - Returns: the visit that begins in this frame, and whether a visit ended that was seen from its beginning.
    mutating func take(_ sightings: [LapSighting], atMilliseconds now: Double) -> (new: Visit?, whole: Bool) {
        defer { hasLooked = true }
        guard let first = sightings.max(by: { $0.confidence < $1.confidence }) else {
            guard let last = lastSeen, now - last > Self.gap else { return (nil, false) }
            lastSeen = nil
            return (nil, !isCut)
        }
        defer { lastSeen = now }
        if let last = lastSeen, now - last <= Self.gap { return (nil, false) }
        let wasWhole = lastSeen != nil && !isCut
        isCut = !hasLooked
        let visit = Visit(milliseconds: now, track: first.track, confidence: first.confidence)
        if all.count < 64 { all.append(visit) }
        return (visit, wasWhole)
    }

    /// Prepares for the frames of another stream.
    mutating func leave() { hasLooked = false }
}
