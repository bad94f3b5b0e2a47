package import Imaging
import Recognition

/// An animal or object over time, as known at the latest frame.
package struct TrackedObject: Sendable, Equatable {
    /// The object's number, from 1. It is never reused.
    package var track: Int
    private var motion: BoxMotion
    /// The observed box in this frame. Nil while the object is out of sight.
    package private(set) var observed: PictureRegion?
    /// The index of the observation in the frame. Nil while the object is out of sight.
    package private(set) var observation: Int?
    /// The label with the most confidence over all observations.
    package private(set) var label: String
    /// The confidence of the last observation, 0…1.
    package private(set) var confidence: Double
    private var confidences: Double
    /// Whether it was seen often enough to exclude a false detection.
    package private(set) var isConfirmed: Bool
    /// The times of the first and the last observation.
    package private(set) var firstMilliseconds: Double
    private(set) var lastMilliseconds: Double
    /// The number of frames with an observation.
    package private(set) var sightings = 1
    /// The number of frames since the last observation.
    private(set) var missed = 0
    /// The sum of confidence for each label.
    private var votes: [String: Double]

    /// The share that earlier votes keep at each new one. About the last 20 sightings count.
    private static let memory = 0.95

    init(_ observation: Observation, index: Int, track: Int, milliseconds: Double, isConfirmed: Bool) {
        self.track = track
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

    /// The estimated box: the observations, smoothed by the motion. For an object out of sight it is the prediction.
    package var box: PictureRegion { motion.box }

    /// The mean confidence of all observations, 0…1.
    package var meanConfidence: Double { confidences / Double(sightings) }

    package var isInSight: Bool { observed != nil }

    /// The number of sightings after which a track has full weight.
    static let settled = 10
    /// The least mean confidence of an animal that is watched for long, relative to that of a new track.
    private static let steadiness = 1.125

    /// Whether an animal's box stays hardly sure however often it is seen, as on a cushion or a bowl.
    ///
    /// - Parameter least: the least confidence of a new track, 0…1.
    func isFaint(least: Double) -> Bool {
        label == RegionNames.animal && sightings >= Self.settled && meanConfidence < Self.steadiness * least
    }

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
    mutating func renew(as track: Int) {
        self.track = track
        firstMilliseconds = lastMilliseconds
        sightings = 1
        confidences = confidence
        votes = [label: confidence]
    }
}

/// A detected box in one frame.
package struct Observation: Sendable, Equatable {
    package var box: PictureRegion
    package var label: String
    package var confidence: Double
}
