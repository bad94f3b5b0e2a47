import Base

/// Why a video could not be read, or written.
package enum VideoError: Error, Codable, Hashable, CustomStringConvertible {
    /// Not one byte.
    case empty
    /// No container that is read here.
    case notAVideo
    /// Sound or attached pictures only.
    case noPictures
    /// The name of a codec that is not decoded here.
    case unsupportedCodec(String)
    /// Pixels.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// Seconds.
    case tooLong(seconds: Double, limit: Double)
    /// Damaged beyond what can be passed over; in words.
    case corrupt(String)
    /// It takes more of a resource than one video may, such as `60 s of processor time`.
    case overLimit(String)
    /// The decoder died of it; the number of the signal.
    case crashed(signal: Int32)
    /// The whole service ended over it so many times.
    case abandoned(attempts: Int)
    /// No sign of life for so many seconds.
    case stalled(seconds: Double)
    /// There is no picture at the time asked for; milliseconds.
    case noFrame(milliseconds: Int)
    /// FFmpeg's libraries here have no H.264 encoder.
    case noEncoder
    /// An address or camera that cannot be opened; in words.
    case unreachable(String)
    /// The machine, not the video; in words.
    case system(String)
    /// Nobody wants the result any more.
    case cancelled

    package var description: String {
        switch self {
        case .empty: "The video has no bytes."
        case .notAVideo:
            "This is no video that is read here: MP4, MOV, WebM, MKV, AVI, GIF, MPEG or Ogg. Playlists and what refers "
                + "to other files are not followed."
        case .noPictures: "The file has no moving pictures, only sound or a cover."
        case .unsupportedCodec(let name): "The pictures are in the codec “\(name)”, which is not decoded here."
        case .tooManyPixels(let width, let height, let limit):
            "The pictures are \(width) × \(height) pixels; \(limit) pixels are allowed."
        case .tooLong(let seconds, let limit):
            "The video is \(Int(clamping: seconds.rounded(.up))) s long; \(Int(clamping: limit)) s are allowed."
        case .corrupt(let reason): "The video is damaged: \(reason)"
        case .overLimit(let what): "The video needs more than one may have: \(what)."
        case .crashed: "The decoder gave up over this video: it is damaged or made to do harm."
        case .abandoned(let attempts):
            "The video was begun \(attempts) times, and each time the service ended before the video did."
        case .stalled(let seconds): "The decoder made no progress for \(Int(clamping: seconds)) s over this video."
        case .noFrame(let milliseconds): "The video has no picture at \(milliseconds) ms."
        case .noEncoder: "FFmpeg's libraries on this machine have no encoder for H.264 (libx264 or libopenh264)."
        case .unreachable(let reason): reason
        case .system(let reason): "The video could not be worked on: \(reason)"
        case .cancelled: "The work was cancelled."
        }
    }
}
