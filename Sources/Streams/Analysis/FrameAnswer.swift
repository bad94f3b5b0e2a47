package import Base
package import Imaging
package import Recognition

/// A tracked animal or object in a frame.
package struct TrackedBox: Sendable {
    package var object: TrackedObject
    /// In fractions of the upright picture, clipped at its edges.
    package let region: PictureRegion
    /// The name from all evidence about the track.
    package var name: RegionName
    /// The vote over all classified crops of the track. Nil before the first.
    package let classification: Classification?
}

/// The analyser's answer for one frame.
package struct FrameAnswer: Sendable {
    package let atMilliseconds: Double
    /// The vote over this frame and those before it.
    package let classification: Classification
    /// The classifier's answer for this frame alone.
    package let single: Classification
    /// The answer that enough frames agree on. Nil while they disagree.
    package let stable: StableLabel?
    /// In the order of their track numbers. Empty without a detector.
    package let boxes: [TrackedBox]
    /// The confirmed tracks in sight that are not sure enough to be shown now.
    package let doubtful: [TrackedBox]
    /// The tracks in sight that turned out to be false detections.
    package let faint: Set<Int>
    /// The labels of the taps, in the order in which the taps were set.
    package let taps: [TapLabel]
    /// The object that the user pointed at. Nil if there is none.
    package let pointed: PointedAnswer?
    package let timing: Timing
    package var wasSearched: Bool { !boxLabels.isEmpty }
    /// Every label that a box may have. Empty without a detector.
    package let boxLabels: Set<String>
}
