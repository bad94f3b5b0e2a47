package import Base
package import Imaging

package struct FrameOptions: Sendable, Equatable {
    /// How the frame is fitted to the classifier's square. Nil takes the manifest's.
    package var crop: CropPolicy?
    /// The head that always answers. Nil lets the presence head choose.
    package var head: String?
    /// The heads that the classifier must have.
    package var requiredHeads: [String]
    /// The share of their weight that earlier votes keep when a frame is added, 0…1.
    package var memory: Float
    package var priority: Priority
    /// The time after which the answer is useless. Nil means never.
    package var deadline: ContinuousClock.Instant?

    /// The largest number of boxes. The surest are kept.
    static let maximumBoxes = 50
    /// The share of the detector's usual threshold from which on boxes are reported. A tracker makes use of doubtful
    /// boxes.
    package static let doubt: Float = 0.4

    package init(
        crop: CropPolicy? = nil, head: String? = nil, requiredHeads: [String] = [], memory: Float = 0.8,
        priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil
    ) {
        self.crop = crop
        self.head = head
        self.requiredHeads = requiredHeads
        self.memory = memory
        self.priority = priority
        self.deadline = deadline
    }
}

package enum FrameSource: Sendable {
    /// A file in any readable format.
    case file([UInt8])
    /// An upright picture, such as one from a video.
    case pixels(PixelBuffer)
}

/// The models' results for one frame, before votes of other frames.
package struct FrameInference: Sendable {
    let frame: Frame
    let output: ModelOutput
    let classifier: LoadedModel
    let options: FrameOptions
    /// The surest first, including doubtful ones. Empty without a detector.
    let boxes: [DetectedBox]
    /// The confidence from which on a box is not doubtful.
    let confidence: Float
    let timing: Timing
}

/// The models' results for one frame, with the votes up to it.
package struct FrameResult: Sendable {
    /// The decoded frame, from which crops can be taken.
    package let frame: Frame
    /// The classifier's answer for this frame alone.
    package let classification: Classification
    /// The vote over this frame and those before it.
    package let fused: Classification
    /// The votes, including this frame's.
    package let votes: OutputVotes
    /// The surest first, including doubtful ones. Empty without a detector.
    package let boxes: [DetectedBox]
    /// The confidence from which on a box is not doubtful.
    package let confidence: Float
    package let timing: Timing
    let output: ModelOutput
    let classifier: LoadedModel

    /// The version of the classifier that answered.
    package var version: ModelReference { classifier.manifest.reference }

    /// The names for regions by that version. Nil if it leaves naming to the detector.
    package var names: RegionNames? { classifier.regions }
}

/// A crop of a frame for classification.
package struct FramePart: Sendable {
    package var region: PictureRegion
    /// The votes of earlier crops of the same object.
    package var votes: OutputVotes
    /// The weight of this crop in the vote. A small or doubtful crop weighs less.
    package var weight: Float

    package init(region: PictureRegion, votes: OutputVotes = OutputVotes(), weight: Float = 1) {
        self.region = region
        self.votes = votes
        self.weight = weight
    }
}

/// The result for a crop, with the votes of earlier crops.
package struct FramePartResult: Sendable {
    package let classification: Classification
    /// The answers for this crop alone.
    package let single: [HeadAnswer]
    package let votes: OutputVotes
}
