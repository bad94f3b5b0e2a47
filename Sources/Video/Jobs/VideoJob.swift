package import Base
package import Foundation
import Storage
package import Streams

/// An uploaded video with the state and the result of its analysis, as the history stores it.
package struct VideoJob: JobRecord {
    package enum State: String, Codable, JobState {
        case waiting, working, done, failed, cancelled
    }

    /// The reason of a failure, as the client gets it.
    package struct Problem: Codable, Sendable {
        let type: String
        let title: String
        let status: Int
        let detail: String?

        package init(type: String, title: String, status: Int, detail: String?) {
            (self.type, self.title, self.status, self.detail) = (type, title, status, detail)
        }
    }

    package struct Parameters: Codable, Sendable {
        package let every: Double
        package let model: String?
        package let language: Language
        package let detects: Bool
        package let annotates: Bool
        package let saves: Bool
        /// nil if no laps are timed, and in rows of releases that could not time any.
        package var laps: VideoLaps?

        package init(
            every: Double, model: String?, language: Language, detects: Bool, annotates: Bool, saves: Bool,
            laps: VideoLaps?
        ) {
            (self.every, self.model, self.language) = (every, model, language)
            (self.detects, self.annotates, self.saves, self.laps) = (detects, annotates, saves, laps)
        }
    }

    package static let kind = "video"
    /// The number of times that a video is begun, if the service ends during the work.
    static let maximumAttempts = 3

    package let id: ULID
    package var state = State.waiting
    package let parameters: Parameters
    package internal(set) var info: VideoInfo
    /// The size of the uploaded file.
    package let bytes: Int
    var attempts = 0
    /// From 0 to 1.
    package internal(set) var progress = 0.0
    /// The time of the last analysed picture in the video, in milliseconds; nil before the first picture, and in rows
    /// of releases that did not store it.
    package internal(set) var milliseconds: Int?
    /// The number of analysed pictures.
    package internal(set) var looked = 0
    package internal(set) var tracks = 0
    package internal(set) var started: Date?
    package internal(set) var finished: Date?
    package internal(set) var warnings: [VideoWarning] = []
    package internal(set) var problem: Problem?
    package internal(set) var scans: [ULID] = []
    /// The ids that the scans will have. They are stored before the first scan, so that a second attempt saves none
    /// twice.
    var planned: [ULID]?
    /// The laps; nil until the work is done, and if none were requested.
    package internal(set) var laps: [Lap]?
    /// The event that closed the laps; nil if none was closed, and in rows of releases that did not store it.
    package internal(set) var lapCounting: LapCounting?
    /// The numbers of the laps with a picture; nil if no lap timer has the laps.
    package internal(set) var lapPhotos: Set<Int>?
    /// The folder that has the files; nil if the history is not shared.
    package let keeper: ULID?

    package var progressMark: Int? { milliseconds }

    private enum CodingKeys: String, CodingKey {
        case id, state, info, bytes, attempts, progress, milliseconds, looked, tracks, started, finished, warnings
        case problem, scans, planned, laps, lapCounting, lapPhotos, keeper
        // Rows of earlier releases have this name.
        case parameters = "wish"
    }
}
