package import HTTP
import Storage
package import Video

extension VideoError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .empty: .malformedBody(description)
        case .notAVideo, .noPictures, .unsupportedCodec, .tooManyPixels, .tooLong, .corrupt, .overLimit, .crashed,
            .abandoned, .stalled, .unreachable:
            .unreadableVideo(description)
        case .noFrame(let milliseconds): .notFound("frame", id: "\(milliseconds)")
        case .noEncoder: ProblemDetails(.notImplemented, detail: description)
        case .system: ProblemDetails(.internalServerError, detail: "The video could not be worked on.")
        case .cancelled: .notReady("The work was cancelled.")
        }
    }

    package var hiddenReason: String? {
        if case .system = self { description } else { nil }
    }
}

extension ProblemDetails {
    /// 413: a video with too many bytes.
    static func videoTooLarge(limit: Int) -> ProblemDetails {
        ProblemDetails(
            .contentTooLarge, detail: "The video is larger than the \(limit) bytes allowed (video.max_bytes).")
    }
}

extension VideoJobError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .tooManyWaiting: .overloaded(retryAfterSeconds: 30)
        case .busy: .overloaded(retryAfterSeconds: 2)
        case .noRoom(let bytes, let limit):
            .storageFull(
                "There is no room for a video of \(bytes) bytes: videos may take \(limit) bytes (video.keep_bytes), and "
                    + "\(VideoFolder.reserve >> 20) MiB of the disk stay free. Delete some, or wait until others "
                    + "are done.")
        case .tooLarge(let limit): .videoTooLarge(limit: limit)
        case .gone(let id): .notFound("video", id: "\(id)")
        case .pointsOutside(let seconds):
            .invalidParameter("point_s", value: "\(seconds)", expected: "a time at which the video has a picture")
        }
    }
}
