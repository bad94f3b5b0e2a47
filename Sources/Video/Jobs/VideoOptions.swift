package import Base

/// The operator's settings for videos.
package struct VideoOptions: Sendable {
    /// The largest video in bytes.
    package var maximumBytes = 2 << 30
    /// The bytes of all videos together. The oldest finished videos are removed to make room.
    package var keptBytes = 10 << 30
    package var limits = VideoLimits.standard
    /// The number of videos that are analysed at a time.
    package var concurrency = 1
    /// The largest number of waiting videos. A further one is refused.
    package var maximumWaiting = 16
    package var program = HelperProgram.current

    package init() {}
}
