import Base
import Encyclopaedia
import Foundation
import HTTP
import Recognition
import Storage
import Video

/// `/videos`: uploaded files that the service analyses, one after the other.
struct VideoEndpoints: Sendable {
    let jobs: VideoJobs
    let channels: VideoChannels
    private let results: VideoResults

    init(jobs: VideoJobs, channels: VideoChannels) {
        (self.jobs, self.channels) = (jobs, channels)
        results = VideoResults(jobs: jobs)
    }

    func register(in router: inout Router) {
        router.post(
            "/videos", bodyLimit: jobs.options.maximumBytes + VideoUpload.formBytes,
            .guarded(check: checkRoom, handler: { try await add($0) }))
        router.get("/videos", .asynchronous { try await list($0) })
        router.get("/videos/{id}", .asynchronous { try await video($0) })
        router.delete("/videos/{id}", .noContent { try await delete($0) })
        router.get("/videos/{id}/events", .withoutQuery { try await events($0) })
        router.get("/videos/{id}/tracks", .asynchronous { try await tracks($0) })
        router.get("/videos/{id}/annotated", .withoutQuery { try await annotated($0) })
        router.get("/videos/{id}/frames/{at_ms}", .withoutQuery { try await frame($0) })
    }

    // MARK: Adding

    /// Refuses a video before it is read if there is no room for it.
    private func checkRoom(for request: Request) throws {
        guard jobs.hasRoom else { throw VideoJobError.tooManyWaiting }
    }

    private func add(_ request: Request) async throws -> Response {
        let parameters = try await parameters(of: request)
        let upload = try VideoUpload(request, limit: jobs.options.maximumBytes)
        let job = try await jobs.add(parameters, length: upload.length) { try await upload.receive($0) }
        return try .json(
            representation(of: job, parameters.language), .accepted, headers: ["Location": "/videos/\(job.id)"])
    }

    private func parameters(of request: Request) async throws -> VideoJob.Parameters {
        var reader = QueryReader(request)
        var parameters = VideoJob.Parameters(
            every: try reader.number("every", in: 0.01...120) ?? 10, model: try reader.text("model"),
            language: try reader.language(of: request), detects: try reader.flag("detect", default: true),
            annotates: try reader.flag("annotate", default: false), saves: try reader.flag("save", default: false),
            laps: try VideoLaps(&reader))
        try reader.finish()
        // The check comes before the client sends gigabytes for an unknown model or label.
        let recogniser = jobs.recogniser
        let models = try await recogniser.suggestingModels {
            try await recogniser.frameModels(parameters.model, detects: parameters.detects)
        }
        if let laps = parameters.laps {
            parameters.laps = try laps.decided(by: try await recogniser.labels(of: models))
        }
        return parameters
    }

    // MARK: Reading

    private func list(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let older = try reader.identifierCursor(of: "videos")
        try reader.finish()
        let page = try await jobs.history.scans.jobs(VideoJob.kind, limit: limit, older: older)
        let names = channels.encyclopaedia.names(in: language)
        let next = page.hasMore ? page.items.last.map { Cursor("videos", id: $0.id.description) } : nil
        let items = page.items.compactMap { VideoJob($0) }.map {
            VideoRepresentation(jobs.table.record($0.id) ?? $0, names: names)
        }
        return try .json(Page(items: items, total: page.total, next: next), of: request)
    }

    private func video(_ request: Request) async throws -> Response {
        let language = try request.language()
        return try .json(representation(of: await job(of: request), language))
    }

    private func events(_ request: Request) async throws -> Response {
        let job = try await job(of: request)
        return channels.channel(of: job) { if !jobs.table.isHere($0.id) { jobs.follow($0) } }.response(to: request)
    }

    private func tracks(_ request: Request) async throws -> Response {
        let language = try request.language()
        let job = try await job(of: request, with: .tracks)
        guard let findings = try await results.findings(job.id) else { throw notReady(job, "tracks") }
        let names = channels.encyclopaedia.names(in: language)
        let tracks = findings.tracks.map {
            VideoTrackRepresentation($0, names: names, video: job.id, withBoxes: true)
        }
        return try .json(
            VideoTracks(
                items: tracks, total: tracks.count,
                scenes: findings.scenes.map { VideoSceneRepresentation($0, names: names) }),
            headers: ["Content-Language": language.rawValue])
    }

    private func annotated(_ request: Request) async throws -> Response {
        let job = try await job(of: request, with: .tracks, .source)
        guard job.state == .done else { throw notReady(job, "annotated file") }
        let file = try FileRegion(path: try await results.annotated(job))
        // The video is not removed to make room until it is sent.
        guard VideoFolder.startReading(file.file.descriptor) else {
            throw VideoJobError.gone(job.id)
        }
        return Representation(
            .file(file), contentType: "video/mp4", revalidatedBy: "\(job.id)-annotated-\(file.length)"
        ).response(to: request)
    }

    private func frame(_ request: Request) async throws -> Response {
        let job = try await job(of: request, with: .source)
        let text = request.parameters["at_ms"] ?? ""
        guard let milliseconds = Int(decimal: text), milliseconds >= 0 else {
            throw ProblemDetails.notFound("frame", id: text)
        }
        let (picture, time) = try await results.picture(of: job, at: milliseconds)
        return Representation(
            .bytes(picture), contentType: "image/jpeg", revalidatedBy: "\(job.id)-\(time)"
        ).response(to: request)
    }

    // MARK: Removing

    private func delete(_ request: Request) async throws {
        let id = try request.id(of: "video")
        guard try await jobs.remove(id) else { throw ProblemDetails.notFound("video", id: "\(id)") }
    }

    // MARK: Parts

    private func representation(of job: VideoJob, _ language: Language) -> VideoRepresentation {
        VideoRepresentation(job, names: channels.encyclopaedia.names(in: language))
    }

    private func notReady(_ job: VideoJob, _ what: String) -> ProblemDetails {
        switch job.state {
        case .waiting, .working:
            .videoNotReady("The video is \(job.state.rawValue); its \(what) will be there when it is done.")
        default: .videoNotReady("The video is \(job.state.rawValue); it has no \(what).")
        }
    }

    private func job(of request: Request) async throws -> VideoJob {
        let id = try request.id(of: "video")
        guard let job = try await jobs.job(id) else { throw ProblemDetails.notFound("video", id: "\(id)") }
        return job
    }

    /// The video of the request. Its `files` are fetched if another process has them.
    private func job(of request: Request, with files: VideoFolder.File...) async throws -> VideoJob {
        let job = try await job(of: request)
        var isHere = true
        for file in files where file == .source || job.state == .done {
            isHere = try await jobs.bring(file, job.id) && isHere
        }
        guard isHere || job.keeper == jobs.history.folder else {
            throw ProblemDetails.videoNotReady(
                "Another machine of this service has the files of this video, which came before they were shared: have "
                    + "the balancer send /videos/\(job.id) to the one that took it in.")
        }
        return job
    }
}
