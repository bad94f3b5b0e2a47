package import Base
package import Imaging
package import Recognition

/// An animal or object that is seen in a frame.
package struct TrackedBox: Sendable {
    /// Its number, its times, and where it is.
    package let object: TrackedObject
    /// In fractions of the upright picture, cut off at its edges.
    package let region: PictureRegion
    /// What it is called, by all that was seen of its track.
    package let name: RegionName
    /// What closer looks have shown, voted over the track; nil until there was one.
    package let classification: Classification?
}

/// What the analyser answers for one frame.
package struct FrameAnswer: Sendable {
    /// Milliseconds of the stream.
    package let atMilliseconds: Double
    /// The classifier's answer for the frame and those before it.
    package let classification: Classification
    /// The classifier's answer for this frame alone.
    package let single: Classification
    /// What enough frames agree on; nil while they do not.
    package let stable: StableLabel?
    /// In the order of their tracks; empty without a detector.
    package let boxes: [TrackedBox]
    /// What lies under each tap, in the order in which they came.
    package let taps: [TapLabel]
    /// Where a thing is that somebody pointed at; nil where nobody did.
    package let pointed: PointedAnswer?
    package let timing: Timing
    /// Whether a detector looked.
    package var wasSearched: Bool { !boxLabels.isEmpty }
    /// Every label that a box may have; empty without a detector.
    package let boxLabels: Set<String>
}
