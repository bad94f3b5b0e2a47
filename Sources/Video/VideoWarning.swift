import Base

/// A loss in otherwise complete work on a video.
package struct VideoWarning: Codable, Sendable, Hashable {
    /// A stable code for programs.
    package enum Code: String, Codable, Sendable, CaseIterable {
        case truncated
        case damaged
        case notSearched = "not-searched"
        case soundLost = "sound-lost"
        case soundCut = "sound-cut"
        case lapsNotKept = "laps-not-kept"
        case nothingPointedAt = "nothing-pointed-at"
    }

    package let code: Code
    /// An English sentence.
    package let detail: String
    /// The number of parts concerned.
    package let count: Int?

    private init(_ code: Code, _ detail: String, count: Int? = nil) {
        (self.code, self.detail, self.count) = (code, detail, count)
    }

    package static let truncated = VideoWarning(.truncated, "The video stops before its announced end.")

    /// Parts of the video were left out. `count` is their number.
    package static func damaged(_ count: Int) -> VideoWarning {
        let parts = counted(count, "part")
        return VideoWarning(.damaged, "\(parts) of the video could not be decoded, or went back in time.", count: count)
    }

    package static let notSearched = VideoWarning(.notSearched, "There is no detector: nothing was searched for boxes.")

    /// - Parameter reason: a sentence that says why no lap timer has the laps.
    package static func lapsNotKept(_ reason: String) -> VideoWarning {
        VideoWarning(.lapsNotKept, "The laps are in this answer only. \(reason)")
    }

    package static let nothingPointedAt = VideoWarning(
        .nothingPointedAt, "Nothing can be told apart at the point that was given: no lap was looked for.")

    /// The video was written without its sound.
    package static func soundLost(_ error: VideoError) -> VideoWarning {
        VideoWarning(.soundLost, "The sound could not be kept: \(error)")
    }

    /// The video was written with part of its sound.
    package static func soundCut(_ error: VideoError) -> VideoWarning {
        VideoWarning(.soundCut, "Part of the sound is lost: \(error)")
    }
}
