import Base

/// The reason why a video could not be read or written.
package enum VideoError: Error, Codable, Hashable, CustomStringConvertible {
    case empty
    /// The file is not in a supported container.
    case notAVideo
    /// The file has only sound or attached pictures.
    case noPictures
    /// The codec is not supported. The value is its name.
    case unsupportedCodec(String)
    /// The pictures are too large, in pixels.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// The video is too long, in seconds.
    case tooLong(seconds: Double, limit: Double)
    /// The file is too damaged to continue. The text says how.
    case corrupt(String)
    /// The video needs more of a resource than allowed, such as `60 s of processor time`.
    case overLimit(String)
    /// The decoder crashed. The value is the number of the signal.
    case crashed(signal: Int32)
    /// The whole service ended this many times while it worked on the video.
    case abandoned(attempts: Int)
    /// The worker gave no sign of life for this time.
    case stalled(seconds: Double)
    /// There is no picture at the requested time, in milliseconds.
    case noFrame(milliseconds: Int)
    /// The installed FFmpeg has no H.264 encoder.
    case noEncoder
    /// An address or camera cannot be opened. The text says why.
    case unreachable(String)
    /// The machine failed, not the video. The text says how.
    case system(String)
    /// The caller cancelled the work.
    case cancelled

    package var description: String {
        switch self {
        case .empty: "The video has no bytes."
        case .notAVideo:
            "This is not a video in MP4, MOV, WebM, MKV, AVI, GIF, MPEG or Ogg. Playlists and what refers to other files "
                + "are not followed."
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
