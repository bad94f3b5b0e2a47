package import Base
package import Video

/// What the operator decides about videos.
package struct VideoOptions: Sendable {
    /// Bytes of the largest video.
    package var maximumBytes: Int
    /// Bytes of all videos together; the oldest finished ones make room.
    package var keptBytes: Int
    package var limits: VideoLimits
    /// Videos that are worked on at a time.
    package var concurrency: Int
    /// Videos that may wait; one more is refused.
    package var maximumWaiting: Int
    /// The program that is started as a worker.
    package var program: HelperProgram

    package init(
        maximumBytes: Int = 2 << 30, keptBytes: Int = 10 << 30, limits: VideoLimits = VideoLimits(),
        concurrency: Int = 1, maximumWaiting: Int = 16, program: HelperProgram = .current
    ) {
        self.maximumBytes = maximumBytes
        self.keptBytes = keptBytes
        self.limits = limits
        self.concurrency = concurrency
        self.maximumWaiting = maximumWaiting
        self.program = program
    }
}
