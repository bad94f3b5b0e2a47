import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Logging
import Recognition
import Metrics
import Telemetry
import Video

/// Works on videos, some at a time, in the order in which they came. Each is in the store before its client is told of it:
/// a service that is started again goes on with those that were not done.
package final class VideoJobs: Sendable {
    let options: VideoOptions
    let folder: VideoFolder
    let recogniser: Recogniser
    let history: HistoryStore
    let encyclopaedia: Encyclopaedia
    let metrics: ServiceMetrics
    /// Keep what is timed in videos.
    let laps: LapSessions
    /// Reads and writes files.
    private let disk = BlockingPool(label: "menagerie.videos", width: 2, maximumPending: 256)
    private let turns: AsyncTurns
    /// Videos that have come are looked at by so many processes at a time.
    let probing = AsyncTurns(width: 2, maximumWaiting: .max)
    let promised: PromisedBytes
    /// Old videos make room for one new one after the other.
    let accepting = AsyncTurns(width: 1, maximumWaiting: .max)
    let active = ActiveVideos()
    let followed = FollowedVideos()
    /// Files are fetched from the database one after the other.
    let bringing = AsyncTurns(width: 1, maximumWaiting: .max)
    let logger = Logger(label: "menagerie.videos")

    /// Until it is asked again whether another process still works on a video.
    private static let pause = Duration.seconds(2)

    init(
        options: VideoOptions, recogniser: Recogniser, history: HistoryStore, encyclopaedia: Encyclopaedia,
        metrics: ServiceMetrics, laps: LapSessions
    ) {
        self.options = options
        folder = history.videos
        self.recogniser = recogniser
        self.history = history
        self.encyclopaedia = encyclopaedia
        self.metrics = metrics
        self.laps = laps
        promised = PromisedBytes(limit: options.keptBytes)
        // Those that were waiting before a restart wait again, however many.
        turns = AsyncTurns(width: options.concurrency, maximumWaiting: .max)
    }

    /// Runs what waits for the disk, or takes the processor for a while, off the cooperative pool.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await disk.run(whenFull: { HistoryError.overloaded(pending: $0) as any Error }) {
            () throws(any Error) in try body()
        }
    }

    // MARK: Coming and going

    /// Whether another video may come now.
    var hasRoom: Bool { active.unfinished.map { $0 < places } ?? false }

    private var places: Int { options.concurrency + options.maximumWaiting }

    /// Keeps a place for a video that is on its way; false where there is none. It is given back by
    /// ``ActiveVideos/giveBack(_:)``, or taken up by ``start(_:)``.
    func reservePlace(for id: ULID) -> Bool { active.reserve(id, of: places) }

    /// Videos that wait and that are worked on.
    var counts: (waiting: Int, working: Int) { active.counts }

    /// Takes a video whose file is in its folder, and begins as soon as it is its turn.
    func add(_ job: VideoJob) async throws {
        try await share(.source, job.id)
        // Before others see it.
        _ = try await claim(job.id)
        try await history.scans.saveJob(try job.row())
        start(job)
    }

    func start(_ job: VideoJob) {
        guard active.insert(job) else { return }
        let task = Task {
            do {
                while try await turns.run({ try await self.work(job.id) }) == .elsewhere {
                    try await Task.sleep(for: Self.pause)
                    guard let row = try await stored(job.id), !row.state.isFinished else {
                        active.remove(job.id)?.channel.finish()
                        return
                    }
                }
            } catch is CancellationError {
                // Deleted, or the service stops: the row says which.
            } catch {
                // What is cancelled may say so in words of its own.
                if !Task.isCancelled { await self.fail(job.id, error) }
            }
        }
        active.run(job.id, task)
    }

    /// nil where there is none.
    func job(_ id: ULID) async throws -> VideoJob? {
        if let job = active.job(id) { return job }
        return try await stored(id)
    }

    func stored(_ id: ULID) async throws -> VideoJob? {
        try await history.scans.job(VideoJob.kind, id: id).flatMap(VideoJob.init)
    }

    /// What is told of a job whose row is at hand: its progress is in memory only.
    func current(_ job: VideoJob) -> VideoJob { active.job(job.id) ?? job }

    /// The events of a video. Those of one that was finished long ago are the last one alone.
    func events(of job: VideoJob, finalEvent: (VideoJob) throws -> (name: String, data: String)) rethrows
        -> EventChannel
    {
        if let channel = active.channel(job.id) { return channel }
        if !job.state.isFinished, history.claims != nil { return follow(job.id) }
        let channel = EventChannel(name: "\(job.id)")
        let (name, data) = try finalEvent(job)
        channel.publish(data, event: name)
        channel.finish()
        return channel
    }

    /// Stops the work on a video at once and removes all that is kept of it. False where there is none.
    func remove(_ id: ULID) async throws -> Bool {
        let known = active.remove(id)
        if let known, !known.job.state.isFinished {
            known.channel.publish(#"{"state":"cancelled"}"#, event: "cancelled")
            metrics.videos.with(VideoJob.State.cancelled.rawValue).increment()
        }
        known?.channel.finish()
        let wasThere = try await history.scans.removeJob(VideoJob.kind, id: id)
        try await history.files?.remove(under: "\(Self.root)\(id)/")
        await release(id)
        let folder = folder
        try await blocking { folder.remove(id) }
        return wasThere || known != nil
    }

    // MARK: Work

    private enum WorkEnding {
        case done
        /// Another process that shares the folder works on the video.
        case elsewhere
    }

    private func work(_ id: ULID) async throws -> WorkEnding {
        try Task.checkCancellation()
        guard let source = folder.open(.source, id) else { throw VideoError.system("its file is gone") }
        // Replicas may share the folder: the one that holds the file works on it. It is let go with the process, so that
        // another goes on where one died.
        guard source.lock() else { return .elsewhere }
        let begun = active.update(id) { job in
            job.state = .working
            job.started = Date()
            job.attempts += 1
        }
        guard let job = begun else { throw CancellationError() }
        guard job.attempts <= VideoJob.maximumAttempts else {
            throw VideoError.abandoned(attempts: VideoJob.maximumAttempts)
        }
        try await keep(job)
        let findings = try await meanwhile({ await self.tellReplicas(of: id) }) {
            try await VideoWork(job: job, source: source, jobs: self).run { progress in self.tell(id, progress) }
        }
        try Task.checkCancellation()
        try await share(.tracks, id)
        let ended = active.update(id) { job in
            job.state = .done
            job.progress = 1
            job.finished = Date()
            job.looked = findings.looked
            job.tracks = findings.tracks
            job.warnings = findings.warnings
            job.scans = findings.scans
            job.laps = findings.laps
            job.lapCounting = findings.lapCounting
            job.lapPhotos = findings.lapPhotos
        }
        guard let done = ended else { throw CancellationError() }
        try await keep(done)
        await release(id)
        finish(done)
        return .done
    }

    /// Throws `CancellationError` for a video that another replica has removed.
    func keep(_ job: VideoJob) async throws {
        if try await history.scans.updateJob(try job.row()) { return }
        _ = try await remove(job.id)
        throw CancellationError()
    }

    private func tell(_ id: ULID, _ progress: VideoWork.Progress) {
        let job = active.update(id) { job in
            job.progress = max(job.progress, min(progress.share, 0.999))
            job.milliseconds = progress.milliseconds
            job.looked = progress.looked
            job.tracks = progress.tracks
        }
        guard let job, let channel = active.channel(id) else { return }
        if let track = progress.track {
            let names = LabelNames(encyclopaedia: encyclopaedia, language: job.wish.language)
            publish(VideoTrackRepresentation(track, names: names, video: id, withBoxes: false), "track", channel)
        } else {
            publish(VideoProgress(job), "progress", channel)
        }
    }

    func publish(_ value: some Encodable, _ event: String, _ channel: EventChannel) {
        guard let json = try? JSON.encode(value) else { return }
        channel.publish(String(decoding: json, as: UTF8.self), event: event)
    }

    private func fail(_ id: ULID, _ error: any Error) async {
        guard let job = active.job(id) else { return }
        let problem = (error as? any ProblemConvertible)?.problem ?? ProblemDetails(.internalServerError)
        countCrash(error)
        logger.warning("A video failed", metadata: ["video": "\(id)", "error": "\(error)"])
        await fail(job, problem)
    }

    /// Counts an error over a video where its helper process died.
    func countCrash(_ error: any Error) {
        if case VideoError.crashed = error { metrics.crashed(over: .video) }
    }

    func fail(_ job: VideoJob, _ problem: ProblemDetails) async {
        var job = job
        job.state = .failed
        job.finished = Date()
        job.problem = VideoJob.Problem(problem)
        let ended = job
        active.update(job.id) { $0 = ended }
        do {
            _ = try await history.scans.updateJob(try job.row())
            await release(job.id)
        } catch {
            logger.error("A video's end cannot be kept", metadata: ["video": "\(job.id)", "error": "\(error)"])
        }
        finish(job)
    }

    private func finish(_ job: VideoJob) {
        metrics.videos.with(job.state.rawValue).increment()
        guard let channel = active.end(job.id) else { return }
        let names = LabelNames(encyclopaedia: encyclopaedia, language: job.wish.language)
        publish(VideoRepresentation(job, names: names), job.state.rawValue, channel)
        channel.finish()
    }
}
