package import Base
import Encyclopaedia
import Foundation
import HTTP
import Jobs
import Streams
import Video

/// A video that was sent, and what became of it: what the store keeps of it.
package struct VideoJob: JobRecord {
    /// How far a video is; `working` is all of the work.
    package enum State: String, Codable, JobState {
        case waiting, working, done, failed, cancelled
    }

    /// Why it failed, as the client is told.
    struct Problem: Codable, Sendable {
        var type: String
        var title: String
        var status: Int
        var detail: String?

        init(_ problem: ProblemDetails) {
            (type, title, status, detail) = (problem.type, problem.title, problem.status.code, problem.detail)
        }
    }

    /// What the request asked for.
    struct Wish: Codable, Sendable {
        var every: Double
        var model: String?
        var language: Language
        var detects: Bool
        var annotates: Bool
        var saves: Bool
        /// nil: none, as in rows of releases that could not.
        var laps: VideoLaps?
    }

    package static let kind = "video"
    /// How often a video is begun anew after the service ended over it.
    static let maximumAttempts = 3

    package let id: ULID
    package var state = State.waiting
    let wish: Wish
    let info: VideoInfo
    /// The size of the file that was sent.
    let bytes: Int
    var attempts = 0
    /// 0…1.
    var progress = 0.0
    /// How far it is in the video, in milliseconds; nil before the first picture, and in rows of releases that did not say.
    var milliseconds: Int?
    /// Pictures that were looked at.
    var looked = 0
    var tracks = 0
    var started: Date?
    var finished: Date?
    var warnings: [VideoWarning] = []
    var problem: Problem?
    /// The scans that it left in the history.
    var scans: [ULID] = []
    /// The names of the scans that it is about to leave there: one that is begun again saves none twice.
    var planned: [ULID]?
    /// What the request wanted timed; nil while it is not done, and where nothing was.
    var laps: [Lap]?
    /// What closed them; nil where nothing did, and in rows of releases that did not say.
    var lapCounting: LapCounting?
    /// Numbers of the laps with a picture; nil where the laps are in no lap timer.
    var lapPhotos: Set<Int>?
    /// The replica that has the files; nil where one process has the history.
    let keeper: ULID?

    package var progressMark: Int? { milliseconds }

    init(id: ULID, wish: Wish, info: VideoInfo, bytes: Int, keeper: ULID?) {
        (self.id, self.wish, self.info, self.bytes, self.keeper) = (id, wish, info, bytes, keeper)
    }
}
