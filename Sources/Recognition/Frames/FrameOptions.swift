package import Base
package import Imaging

/// What a stream wants of each frame.
package struct FrameOptions: Sendable, Equatable {
    /// How a frame is brought to the classifier's square; nil: as its manifest says.
    package var crop: CropPolicy?
    /// A head that is to answer whatever presence says; nil: the one that fits.
    package var head: String?
    /// Heads that the classifier must have.
    package var requiredHeads: [String]
    /// Boxes to find at most, the surest.
    package var limit: Int
    /// Share of the detector's own threshold from which on boxes are found: a tracker knows what to do with doubt.
    package var doubt: Float
    /// What earlier votes keep of their weight when a frame adds its own, 0…1.
    package var memory: Float
    package var priority: Priority
    /// When the answer is no longer wanted; nil: never.
    package var deadline: ContinuousClock.Instant?

    package init(
        crop: CropPolicy? = nil, head: String? = nil, requiredHeads: [String] = [], limit: Int = 50,
        doubt: Float = 0.4, memory: Float = 0.8, priority: Priority = .interactive,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.crop = crop
        self.head = head
        self.requiredHeads = requiredHeads
        self.limit = limit
        self.doubt = doubt
        self.memory = memory
        self.priority = priority
        self.deadline = deadline
    }
}

/// A frame as it comes.
package enum FrameSource: Sendable {
    /// A file in any readable format.
    case file([UInt8])
    /// An upright picture, such as one of a video.
    case pixels(PixelBuffer)
}

/// What the models saw in one frame by itself, before it is told what was said of the frames before.
package struct FrameInference: Sendable {
    let frame: Frame
    let output: ModelOutput
    let classifier: LoadedModel
    let options: FrameOptions
    /// The surest first, doubtful ones included; empty without a detector.
    let boxes: [DetectedBox]
    /// From which confidence on a box is not in doubt.
    let confidence: Float
    let timing: Timing
}

/// What the models saw in one frame.
package struct FrameResult: Sendable {
    /// For looking closer at parts of it.
    package let frame: Frame
    /// What the classifier says of this frame alone.
    package let classification: Classification
    /// Of this frame and those before it.
    package let fused: Classification
    /// The votes with this frame's.
    package let votes: OutputVotes
    /// The surest first, doubtful ones included; empty without a detector.
    package let boxes: [DetectedBox]
    /// From which confidence on a box is not in doubt.
    package let confidence: Float
    package let timing: Timing
    let output: ModelOutput
    let classifier: LoadedModel
}

/// A part of a frame to be looked at closer.
package struct FramePart: Sendable {
    package var region: PictureRegion
    /// What was said of the same thing before.
    package var votes: OutputVotes
    /// How much this look counts among the others: a small or doubtful sight less than a good one.
    package var weight: Float

    package init(region: PictureRegion, votes: OutputVotes = OutputVotes(), weight: Float = 1) {
        self.region = region
        self.votes = votes
        self.weight = weight
    }
}

/// What a closer look showed, of this frame and those before it.
package struct FramePartResult: Sendable {
    package let classification: Classification
    /// What this look alone says.
    package let single: [HeadAnswer]
    package let votes: OutputVotes
}
