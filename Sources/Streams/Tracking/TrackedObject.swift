import Recognition

/// An animal or object over time, as known at the latest frame.
package struct TrackedObject: Sendable, Equatable {
    /// The object's number, from 1. It is never reused.
    package var track: Int
    /// The estimated box: the observations, smoothed by the motion. For an object out of sight it is the prediction.
    package let box: BoundingBox
    /// The observed box in this frame. Nil while the object is out of sight.
    package let observed: BoundingBox?
    /// The index of the observation in the frame. Nil while the object is out of sight.
    package let observation: Int?
    /// The label with the most confidence over all observations.
    package let label: String
    /// The confidence of the last observation, 0…1.
    package let confidence: Double
    /// The mean confidence of all observations, 0…1.
    package let meanConfidence: Double
    /// Whether it was seen often enough to exclude a false detection.
    package let isConfirmed: Bool
    /// The times of the first and the last observation.
    package let firstMilliseconds: Double
    package let lastMilliseconds: Double
    /// The number of frames with an observation.
    package let sightings: Int

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
}

/// A detected box in one frame.
package struct Observation: Sendable, Equatable {
    package var box: BoundingBox
    package var label: String
    package var confidence: Double
}
