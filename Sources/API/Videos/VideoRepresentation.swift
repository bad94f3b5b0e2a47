package import Base
import Encyclopaedia
import Foundation
import Recognition
import Streams
package import Video

/// A video in the HTTP interface.
struct VideoRepresentation: Encodable {
    let id: String
    let state: String
    /// 0 to 1.
    let progress: Double
    let createdAt: Date
    let startedAt: Date?
    let finishedAt: Date?
    /// In seconds; null if the file does not state it.
    let durationS: Nullable<Double>
    /// The number of pictures; null if the file does not state it.
    let frames: Nullable<Int>
    let fps: Nullable<Double>
    /// The size of the upright pictures.
    let width, height: Int
    let codec: String
    let container: String
    let audio: String?
    let bytes: Int
    let every: Double
    let model: String?
    let detect: Bool
    let annotate: Bool
    /// The number of pictures analysed so far.
    let framesLooked: Int
    /// The number of tracks found so far.
    let tracks: Int
    let warnings: [VideoWarning]
    /// The reason of a failure.
    let problem: VideoJob.Problem?
    /// The ids of the saved scans.
    let scans: [String]
    /// The laps; absent if none were requested.
    let laps: VideoLapsRepresentation?
    let url: String
    let eventsUrl: String
    let tracksUrl: String
    let annotatedUrl: String

    init(_ job: VideoJob, names: LabelNames) {
        let info = job.info
        (id, state) = (job.id.description, job.state.rawValue)
        progress = job.progress.rounded3
        createdAt = job.id.date
        (startedAt, finishedAt) = (job.started, job.finished)
        durationS = Nullable(info.duration?.rounded3)
        frames = Nullable(info.frames)
        fps = Nullable(info.framesPerSecond?.rounded3)
        (width, height, codec, container, audio) = (
            info.width, info.height, info.codec, info.container, info.audioCodec
        )
        bytes = job.bytes
        (every, model, detect, annotate) = (
            job.parameters.every, job.parameters.model, job.parameters.detects, job.parameters.annotates
        )
        (framesLooked, tracks, warnings, problem) = (job.looked, job.tracks, job.warnings, job.problem)
        scans = job.scans.map(\.description)
        laps = job.parameters.laps.map {
            VideoLapsRepresentation(
                $0, job.laps ?? [], counting: job.lapCounting, photos: job.lapPhotos ?? [],
                isKept: job.laps == nil || job.lapPhotos != nil,
                names: names)
        }
        url = "/videos/\(job.id)"
        eventsUrl = url + "/events"
        tracksUrl = url + "/tracks"
        annotatedUrl = url + "/annotated"
    }
}

/// The event `progress`.
struct VideoProgress: Encodable {
    let state: String
    let progress: Double
    let atMs: Int
    let framesLooked: Int
    let tracks: Int

    init(_ job: VideoJob) {
        state = job.state.rawValue
        progress = job.progress.rounded3
        (atMs, framesLooked, tracks) = (job.milliseconds ?? 0, job.looked, job.tracks)
    }
}

/// The track of an animal or object through a video.
package struct VideoTrackRepresentation: Encodable {
    struct Best: Encodable {
        let atMs: Int
        let confidence: Double
        let percent: String
        /// The whole picture. The command line has none.
        let pictureUrl: String?
        let box: Box
    }

    struct Box: Encodable {
        let atMs: Int
        let x, y, width, height: Double
        let confidence: Double

        init(_ box: VideoFindings.Box) {
            (atMs, x, y, width, height) = (box.milliseconds, box.x, box.y, box.width, box.height)
            confidence = box.confidence
        }
    }

    let track: Int
    let label: String
    let name: String
    let firstMs: Int
    let lastMs: Int
    let best: Best
    /// The breed of a cat or a dog; absent if no breed is sure.
    let breed: PredictionRepresentation?
    /// The breeds of a cat or a dog, likeliest first.
    let predictions: [PredictionRepresentation]?
    /// The species of any other animal; absent if no species is sure.
    let species: PredictionRepresentation?
    /// The likeliest names for it, likeliest first.
    let words: [PredictionRepresentation]
    let boxes: [Box]?

    package init(_ track: VideoFindings.Track, names: LabelNames, video: ULID?, withBoxes: Bool) {
        (self.track, label) = (track.track, track.label)
        name = names.name(track.label, from: .box)
        (firstMs, lastMs) = (track.first, track.last)
        best = Best(
            atMs: track.best.milliseconds, confidence: track.best.confidence.rounded4,
            percent: track.best.confidence.percent,
            pictureUrl: video.map { "/videos/\($0)/frames/\(track.best.milliseconds)" }, box: Box(track.best.box))
        predictions = track.breeds.isEmpty ? nil : track.breeds.map { names.prediction($0, head: track.label + "s") }
        breed = track.isSureOfBreed ? predictions?.first : nil
        species = track.species.map { names.species($0.prediction, head: $0.head) }
        words = track.words.filter(\.isAboveZero).map { names.word($0) }
        boxes = withBoxes ? track.boxes.map(Box.init) : nil
    }
}

/// A part of a video in which the whole picture shows one thing.
package struct VideoSceneRepresentation: Encodable {
    let label: String
    let name: String
    let head: String
    let confidence: Double
    let percent: String
    let url: String?
    let firstMs: Int
    let lastMs: Int
    let bestMs: Int

    package init(_ scene: VideoFindings.Scene, names: LabelNames) {
        let prediction = names.prediction(scene.label, scene.confidence, head: scene.head)
        (label, name, head) = (prediction.label, prediction.name, scene.head)
        (confidence, percent, url) = (prediction.confidence, prediction.percent, prediction.url)
        (firstMs, lastMs, bestMs) = (scene.first, scene.last, scene.best)
    }
}

/// The answer of `GET /videos/{id}/tracks`.
struct VideoTracks: Encodable {
    let items: [VideoTrackRepresentation]
    let total: Int
    let scenes: [VideoSceneRepresentation]
}
