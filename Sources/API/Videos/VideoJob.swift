package import Base
import Encyclopaedia
import Foundation
import HTTP
import Jobs
import Streams
import Video

/// An uploaded video with the state and the result of its analysis, as the history stores it.
package struct VideoJob: JobRecord {
    package enum State: String, Codable, JobState {
        case waiting, working, done, failed, cancelled
    }

    /// The reason of a failure, as the client gets it.
    struct Problem: Codable, Sendable {
        var type: String
        var title: String
        var status: Int
        var detail: String?

        init(_ problem: ProblemDetails) {
            (type, title, status, detail) = (problem.type, problem.title, problem.status.code, problem.detail)
        }
    }

    /// The parameters of the request.
    struct Parameters: Codable, Sendable {
        var every: Double
        var model: String?
        var language: Language
        var detects: Bool
        var annotates: Bool
        var saves: Bool
        /// nil if no laps are timed, and in rows of releases that could not time any.
        var laps: VideoLaps?
    }

    package static let kind = "video"
    /// The number of times that a video is begun, if the service ends during the work.
    static let maximumAttempts = 3

    package let id: ULID
    package var state = State.waiting
    let parameters: Parameters
    let info: VideoInfo
    /// The size of the uploaded file.
    let bytes: Int
    var attempts = 0
    /// From 0 to 1.
    var progress = 0.0
    /// The time of the last analysed picture in the video, in milliseconds; nil before the first picture, and in rows
    /// of releases that did not store it.
    var milliseconds: Int?
    /// The number of analysed pictures.
    var looked = 0
    var tracks = 0
    var started: Date?
    var finished: Date?
    var warnings: [VideoWarning] = []
    var problem: Problem?
    /// The saved scans.
    var scans: [ULID] = []
    /// The ids that the scans will have. They are stored before the first scan, so that a second attempt saves none
    /// twice.
    var planned: [ULID]?
    /// The laps; nil until the work is done, and if none were requested.
    var laps: [Lap]?
    /// The event that closed the laps; nil if none was closed, and in rows of releases that did not store it.
    var lapCounting: LapCounting?
    /// The numbers of the laps with a picture; nil if no lap timer has the laps.
    var lapPhotos: Set<Int>?
    /// The replica that has the files; nil if replicas do not share the history.
    let keeper: ULID?

    package var progressMark: Int? { milliseconds }

    private enum CodingKeys: String, CodingKey {
        case id, state, info, bytes, attempts, progress, milliseconds, looked, tracks, started, finished, warnings
        case problem, scans, planned, laps, lapCounting, lapPhotos, keeper
        // Rows of earlier releases have this name.
        case parameters = "wish"
    }

    init(id: ULID, parameters: Parameters, info: VideoInfo, bytes: Int, keeper: ULID?) {
        (self.id, self.parameters, self.info, self.bytes, self.keeper) = (id, parameters, info, bytes, keeper)
    }
}
