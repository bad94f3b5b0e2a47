/// One animal or object over time, as it is known at the frame that was looked at last.
package struct TrackedObject: Sendable, Equatable {
    /// Stays with the object; counts from 1 and is never given twice.
    package let track: Int
    /// Where it is thought to be: what was observed, smoothed by how it moves; for one that is out of sight, where its
    /// motion would have taken it.
    package let box: BoundingBox
    /// Where it was observed in this frame; nil while it is out of sight.
    package let observed: BoundingBox?
    /// Index of its observation in the frame; nil while it is out of sight.
    package let observation: Int?
    /// The label that most of its observations had, weighted by their confidence.
    package let label: String
    /// Of its last observation, 0…1.
    package let confidence: Double
    /// Whether it was seen often enough not to be a detector's whim.
    package let isConfirmed: Bool
    /// Milliseconds of its first and its last observation.
    package let firstMilliseconds: Double
    package let lastMilliseconds: Double
    /// Frames in which it was observed.
    package let sightings: Int

    /// Whether it was observed in this frame.
    package var isInSight: Bool { observed != nil }
}
