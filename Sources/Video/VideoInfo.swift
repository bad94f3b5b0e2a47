import Base
package import Imaging

package struct VideoInfo: Sendable, Hashable, Codable {
    /// The size of the upright pictures, in square pixels.
    package var width: Int
    package var height: Int
    /// The container, such as `mp4` or `matroska`.
    package var container: String
    /// The codec of the pictures, such as `h264`.
    package var codec: String
    /// The codec of the sound that would be kept. Nil if there is no sound.
    package var audioCodec: String?
    /// The orientation of the stored pictures.
    package var orientation = Orientation.up
    /// Seconds. Nil if the file does not say.
    package var duration: Double?
    /// Pictures a second on average. Nil if the file does not say.
    package var framesPerSecond: Double?
    /// The number of pictures, counted or estimated. Nil if neither is possible.
    package var frames: Int?

    /// The limit for frame rates. A header that claims more is wrong.
    static let ratesBelow = 1000.0

    /// The time between two pictures in microseconds: 40,000 if unknown, at most a thousand seconds.
    var interval: Int64 { framesPerSecond.map { Int64(clamping: min(1_000_000_000, 1_000_000 / $0)) } ?? 40_000 }

    /// The description after reading to the end. A file that was joined from recordings states only a part of its
    /// duration, and a browser's recording states none.
    package func read(to ending: VideoEnding) -> VideoInfo {
        if let duration, Double(ending.last) / 1_000_000 <= duration * 1.1 + 1 { return self }
        var info = self
        // The last picture is shown for as long as the others.
        let end = Double(ending.last + interval) / 1_000_000
        info.duration = end
        if let framesPerSecond { info.frames = Int(clamping: (end * framesPerSecond).rounded()) }
        return info
    }
}

/// The result of reading a video to its end.
package struct VideoEnding: Sendable, Hashable, Codable {
    /// The number of decoded pictures.
    package var frames = 0
    /// The time of the last picture, in microseconds since the first.
    package var last: Int64 = 0
    /// The number of packets that could not be decoded, and of pictures that are left out because they go back in time.
    package var damaged = 0
    /// Whether the file stops before its announced end.
    package var isTruncated = false
    /// Losses in otherwise complete work.
    package var warnings: [VideoWarning] = []
}

/// One upright picture of a video.
package struct VideoFrame: Sendable, Equatable {
    /// Microseconds since the first picture.
    package let time: Int64
    package let picture: PixelBuffer
    /// Whether something moves now or did just before, or in a frame in whose place this one is. True if motion was not
    /// checked.
    package var isLively = true

    /// Milliseconds since the first picture.
    package var milliseconds: Int { Int(clamping: (Double(time) / 1000).rounded()) }
}
