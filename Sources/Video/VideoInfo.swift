import Base
package import Imaging

/// What a video says of itself.
package struct VideoInfo: Sendable, Hashable, Codable {
    /// Of the upright pictures, in pixels that are as wide as they are high.
    package var width: Int
    package var height: Int
    /// Such as `mp4`, `matroska`.
    package var container: String
    /// Such as `h264`.
    package var codec: String
    /// That of the sound that would be kept; nil where there is none.
    package var audioCodec: String?
    /// How the pictures are stored.
    package var orientation: Orientation
    /// Seconds; nil where the file does not say.
    package var duration: Double?
    /// Pictures a second on average; nil where the file does not say.
    package var framesPerSecond: Double?
    /// Pictures, counted or reckoned; nil where neither is possible.
    package var frames: Int?

    /// Pictures a second that no video has, whatever its header says.
    static let ratesBelow = 1000.0

    /// Microseconds between two pictures, 40,000 where that is not known, a thousand seconds at most.
    var interval: Int64 { framesPerSecond.map { Int64(clamping: min(1_000_000_000, 1_000_000 / $0)) } ?? 40_000 }

    package init(
        width: Int, height: Int, container: String, codec: String, audioCodec: String? = nil,
        orientation: Orientation = .up, duration: Double? = nil, framesPerSecond: Double? = nil, frames: Int? = nil
    ) {
        self.width = width
        self.height = height
        self.container = container
        self.codec = codec
        self.audioCodec = audioCodec
        self.orientation = orientation
        self.duration = duration
        self.framesPerSecond = framesPerSecond
        self.frames = frames
    }
}

/// How the reading of a video ended.
package struct VideoEnding: Sendable, Hashable, Codable {
    /// Pictures that were decoded.
    package var frames: Int
    /// Time of the last one in microseconds since the first.
    package var last: Int64
    /// Packets that could not be decoded.
    package var damaged: Int
    /// Whether the file stops before its announced end.
    package var isTruncated: Bool
    /// What was lost although the work was done.
    package var warnings: [VideoWarning]

    package init(
        frames: Int = 0, last: Int64 = 0, damaged: Int = 0, isTruncated: Bool = false, warnings: [VideoWarning] = []
    ) {
        self.frames = frames
        self.last = last
        self.damaged = damaged
        self.isTruncated = isTruncated
        self.warnings = warnings
    }
}

/// One upright picture of a video.
package struct VideoFrame: Sendable, Equatable {
    /// Microseconds since the first picture.
    package let time: Int64
    package let picture: PixelBuffer
    /// Whether something moves there, or did just now; true where nobody asked.
    package let isLively: Bool

    package init(time: Int64, picture: PixelBuffer, isLively: Bool = true) {
        self.time = time
        self.picture = picture
        self.isLively = isLively
    }

    /// Milliseconds since the first picture.
    package var milliseconds: Int { Int(clamping: (Double(time) / 1000).rounded()) }
}
