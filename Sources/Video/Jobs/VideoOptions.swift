package import Base

/// The operator's settings for videos.
package struct VideoOptions: Sendable {
    /// The largest video in bytes.
    package var maximumBytes: Int
    /// The bytes of all videos together. The oldest finished videos are removed to make room.
    package var keptBytes: Int
    package var limits: VideoLimits
    /// The number of videos that are analysed at a time.
    package var concurrency: Int
    /// The largest number of waiting videos. A further one is refused.
    package var maximumWaiting: Int
    package var program: HelperProgram

    package init(
        maximumBytes: Int = 2 << 30, keptBytes: Int = 10 << 30, limits: VideoLimits = .standard,
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
