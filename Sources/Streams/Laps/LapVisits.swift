/// The times that an object comes into sight. A pure value.
struct LapVisits: Sendable {
    /// How long it has to be out of sight for the next time to be another one, in milliseconds.
    private static let gap = 1_000.0

    /// When it came, as what.
    struct Visit: Sendable {
        let milliseconds: Double
        let track: Int
        let confidence: Double
    }

    /// Those so far, while it is not chosen whether they count.
    private(set) var all: [Visit] = []
    private var lastSeen: Double?
    /// Whether it was in sight before anybody looked: nobody saw it come.
    private var isCut = true
    private var hasLooked = false

    /// Takes what is in sight in a frame.
    ///
    /// - Returns: the visit that begins with it, and whether one that was seen from its beginning has ended.
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

    /// The frames that follow are of another stream, in which nobody has looked yet.
    mutating func leave() { hasLooked = false }
}
