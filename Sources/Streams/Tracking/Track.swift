/// The state of one object in a ``MultiObjectTracker``.
struct Track: Sendable {
    private(set) var number: Int
    private(set) var motion: BoxMotion
    private(set) var observed: BoundingBox?
    private(set) var observation: Int?
    private(set) var confidence: Double
    private var confidences: Double
    private(set) var sightings = 1
    private(set) var isConfirmed: Bool
    private(set) var firstMilliseconds: Double
    private(set) var lastMilliseconds: Double
    /// The number of frames since the last observation.
    private(set) var missed = 0
    /// The sum of confidence for each label.
    private var votes: [String: Double]
    private(set) var label: String

    /// The share that earlier votes keep at each new one. About the last 20 sightings count.
    private static let memory = 0.95

    init(_ observation: Observation, index: Int, number: Int, milliseconds: Double, isConfirmed: Bool) {
        self.number = number
        motion = BoxMotion(observation.box, seconds: milliseconds / 1000)
        observed = observation.box
        self.observation = index
        confidence = observation.confidence
        confidences = observation.confidence
        self.isConfirmed = isConfirmed
        firstMilliseconds = milliseconds
        lastMilliseconds = milliseconds
        votes = [observation.label: observation.confidence]
        label = observation.label
    }

    /// The estimated box.
    var box: BoundingBox { motion.box }

    mutating func predict(atMilliseconds milliseconds: Double) {
        motion.predict(untilSeconds: milliseconds / 1000, isLost: missed > 0)
        observed = nil
        observation = nil
    }

    mutating func observe(_ seen: Observation, index: Int, milliseconds: Double, confirmations: Int) {
        motion.update(with: seen.box)
        observed = seen.box
        observation = index
        confidence = seen.confidence
        confidences += seen.confidence
        sightings += 1
        missed = 0
        lastMilliseconds = max(lastMilliseconds, milliseconds)
        isConfirmed = isConfirmed || sightings >= confirmations
        for label in votes.keys { votes[label]? *= Self.memory }
        votes[seen.label, default: 0] += seen.confidence
        // A tie keeps the label, or goes by name, so that the result is always the same.
        if let best = votes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), best.value > votes[label] ?? 0 {
            label = best.key
        }
    }

    mutating func miss() { missed += 1 }

    /// Starts a new object in the same place.
    mutating func renew(as number: Int) {
        self.number = number
        firstMilliseconds = lastMilliseconds
        sightings = 1
        confidences = confidence
        votes = [label: confidence]
    }

    var object: TrackedObject {
        TrackedObject(
            track: number, box: box, observed: observed, observation: observation, label: label,
            confidence: confidence, meanConfidence: confidences / Double(sightings), isConfirmed: isConfirmed,
            firstMilliseconds: firstMilliseconds,
            lastMilliseconds: lastMilliseconds, sightings: sightings)
    }
}
