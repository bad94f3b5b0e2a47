import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Logging
import Recognition
import Telemetry
import Video

/// Works on videos, some at a time, in the order in which they came. Each is in the store before its client is told of it:
/// a service that is started again goes on with those that were not done.
package final class VideoJobs: Sendable {
    /// One that waits or is worked on, or was until a moment ago.
    private struct Active {
        var job: VideoJob
        let channel: EventChannel
        var task: Task<Void, Never>?
    }

    private struct State {
        var active: [ULID: Active] = [:]
        /// Finished ones that are still in `active`, for those who listen; the oldest first.
        var recent: [ULID] = []
        var isStopped = false
    }

    let options: VideoOptions
    let folder: VideoFolder
    let recogniser: Recogniser
    let history: HistoryStore
    let encyclopaedia: Encyclopaedia
    let metrics: ServiceMetrics
    /// Reads and writes files.
    private let disk = BlockingPool(label: "menagerie.videos", width: 2, maximumPending: 256)
    private let turns: AsyncTurns
    private let annotating = AsyncTurns(width: 1, maximumWaiting: 4)
    private let picturing = AsyncTurns(width: 2, maximumWaiting: 16)
    private let state = Locked(State())
    private let logger = Logger(label: "menagerie.videos")

    /// Finished videos whose events are kept for those who come late.
    private static let maximumRecent = 32

    init(
        options: VideoOptions, recogniser: Recogniser, history: HistoryStore, encyclopaedia: Encyclopaedia,
        metrics: ServiceMetrics
    ) {
        self.options = options
        folder = history.videos
        self.recogniser = recogniser
        self.history = history
        self.encyclopaedia = encyclopaedia
        self.metrics = metrics
        // Those that were waiting before a restart wait again, however many.
        turns = AsyncTurns(width: options.concurrency, maximumWaiting: .max)
    }

    /// Runs what waits for the disk, or takes the processor for a while, off the cooperative pool.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await disk.run(whenFull: { HistoryError.overloaded(pending: $0) as any Error }) {
            () throws(any Error) in try body()
        }
    }

    // MARK: Life

    /// Goes on with the videos that an earlier process left, until the task is cancelled; then stops all work.
    package func run() async {
        await resume()
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(3600)) } catch { break }
        }
        await stop()
    }

    /// Goes on with the videos that an earlier process left unfinished.
    package func resume() async {
        do {
            var older: ULID?
            var unfinished: [VideoJob] = []
            var known: Set<ULID> = []
            repeat {
                let page = try await history.scans.jobs(VideoJob.kind, limit: 100, older: older)
                known.formUnion(page.items.map(\.id))
                unfinished += page.items.compactMap(VideoJob.init).filter { !$0.state.isFinished }
                older = page.hasMore ? page.items.last?.id : nil
            } while older != nil
            for job in unfinished.reversed() where folder.exists(.source, job.id) { start(job) }
            for job in unfinished where !folder.exists(.source, job.id) {
                await fail(job, VideoError.system("its file is gone").problem)
            }
            // Files of uploads that were cut off by the end of a process.
            for id in folder.ids where !known.contains(id) && state.withLock({ $0.active[id] == nil }) {
                folder.remove(id)
            }
        } catch {
            logger.error("The videos of before cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Stops all work; what is not done goes on after the next start.
    package func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.active.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        for active in state.withLock({ Array($0.active.values) }) { active.channel.finish() }
    }

    // MARK: Coming and going

    /// Whether another video may come now.
    var hasRoom: Bool {
        state.withLock { state in
            let waiting = state.active.values.count { !$0.job.state.isFinished }
            return !state.isStopped && waiting < options.concurrency + options.maximumWaiting
        }
    }

    /// Takes a video whose file is in its folder, and begins as soon as it is its turn.
    func add(_ job: VideoJob) async throws {
        try await history.scans.saveJob(try job.row())
        start(job)
    }

    private func start(_ job: VideoJob) {
        let channel = EventChannel()
        state.withLock { $0.active[job.id] = Active(job: job, channel: channel) }
        let task = Task {
            do {
                try await turns.run { try await self.work(job.id) }
            } catch is CancellationError {
                // Deleted, or the service stops: the row says which.
            } catch {
                await self.fail(job.id, error)
            }
        }
        let isStopped = state.withLock { state in
            state.active[job.id]?.task = task
            return state.isStopped || state.active[job.id] == nil
        }
        if isStopped { task.cancel() }
    }

    /// nil where there is none.
    func job(_ id: ULID) async throws -> VideoJob? {
        if let active = state.withLock({ $0.active[id]?.job }) { return active }
        return try await history.scans.job(VideoJob.kind, id: id).flatMap(VideoJob.init)
    }

    /// What is told of a job whose row is at hand: its progress is in memory only.
    func current(_ job: VideoJob) -> VideoJob {
        state.withLock { $0.active[job.id]?.job } ?? job
    }

    /// The events of a video. Those of one that was finished long ago are the last one alone.
    func events(of job: VideoJob, finalEvent: (VideoJob) throws -> (name: String, data: String)) rethrows
        -> EventChannel
    {
        if let channel = state.withLock({ $0.active[job.id]?.channel }) { return channel }
        let channel = EventChannel(name: "\(job.id)")
        let (name, data) = try finalEvent(job)
        channel.publish(data, event: name)
        channel.finish()
        return channel
    }

    /// Stops the work on a video at once and removes all that is kept of it. False where there is none.
    func remove(_ id: ULID) async throws -> Bool {
        let active = state.withLock { state in
            state.recent.removeAll { $0 == id }
            return state.active.removeValue(forKey: id)
        }
        active?.task?.cancel()
        if let active, !active.job.state.isFinished {
            active.channel.publish(#"{"state":"cancelled"}"#, event: "cancelled")
            metrics.videos.with(VideoJob.State.cancelled.rawValue).increment()
        }
        active?.channel.finish()
        let wasThere = try await history.scans.removeJob(VideoJob.kind, id: id)
        let folder = folder
        try await blocking { folder.remove(id) }
        return wasThere || active != nil
    }

    /// Removes the oldest finished videos until there is room for so many more bytes.
    ///
    /// - Throws: ``Problem`` (507) where there is none even so.
    func makeRoom(for bytes: Int) async throws {
        let folder = folder
        func used() async throws -> Int {
            try await blocking {
                folder.ids.reduce(0) { $0 + folder.bytes(of: $1) }
            }
        }
        while try await used() > options.keptBytes - bytes || !folder.hasRoom(for: bytes) {
            guard let oldest = try await oldestFinished(), try await remove(oldest) else {
                throw Problem(
                    .storageFull(
                        "There is no room for a video of \(bytes) bytes: videos may take \(options.keptBytes) bytes "
                            + "(video.keep_bytes). Delete some."))
            }
            logger.notice("An old video made room", metadata: ["video": "\(oldest)"])
        }
    }

    private func oldestFinished() async throws -> ULID? {
        for id in folder.ids {
            guard let job = try await job(id) else { continue }
            if job.state.isFinished { return id }
        }
        return nil
    }

    // MARK: Work

    private func update(_ id: ULID, _ change: (inout VideoJob) -> Void) -> VideoJob? {
        state.withLock { state in
            guard var active = state.active[id] else { return nil }
            change(&active.job)
            state.active[id] = active
            return active.job
        }
    }

    private func work(_ id: ULID) async throws {
        try Task.checkCancellation()
        guard
            let job = update(
                id,
                {
                    $0.state = .working
                    $0.started = Date()
                    $0.attempts += 1
                })
        else { throw CancellationError() }
        guard job.attempts <= VideoJob.maximumAttempts else {
            throw VideoError.crashed(signal: 0)
        }
        guard let source = folder.open(.source, id) else { throw VideoError.system("its file is gone") }
        // Replicas may share the folder: the one that holds the file works on it.
        guard source.lock() else { throw CancellationError() }
        try await history.scans.saveJob(try job.row())
        let findings = try await VideoWork(job: job, source: source, jobs: self).run { progress in
            self.tell(id, progress)
        }
        try Task.checkCancellation()
        guard
            let done = update(
                id,
                {
                    $0.state = .done
                    $0.progress = 1
                    $0.finished = Date()
                    $0.looked = findings.looked
                    $0.tracks = findings.tracks
                    $0.warnings = findings.warnings
                    $0.scans = findings.scans
                })
        else { throw CancellationError() }
        try await history.scans.saveJob(try done.row())
        finish(done)
    }

    private func tell(_ id: ULID, _ progress: VideoWork.Progress) {
        let job = update(id) { job in
            job.progress = max(job.progress, min(progress.share, 0.999))
            job.looked = progress.looked
            job.tracks = progress.tracks
        }
        guard let job, let channel = state.withLock({ $0.active[id]?.channel }) else { return }
        if let track = progress.track {
            let names = LabelNames(encyclopaedia: encyclopaedia, language: job.wish.language)
            publish(VideoTrackRepresentation(track, names: names, video: id, withBoxes: false), "track", channel)
        } else {
            publish(VideoProgress(job, milliseconds: progress.milliseconds), "progress", channel)
        }
    }

    private func publish(_ value: some Encodable, _ event: String, _ channel: EventChannel) {
        guard let json = try? JSON.encode(value) else { return }
        channel.publish(String(decoding: json, as: UTF8.self), event: event)
    }

    private func fail(_ id: ULID, _ error: any Error) async {
        guard let job = state.withLock({ $0.active[id]?.job }) else { return }
        let problem = (error as? any ProblemConvertible)?.problem ?? ProblemDetails(.internalServerError)
        logger.warning("A video failed", metadata: ["video": "\(id)", "error": "\(error)"])
        await fail(job, problem)
    }

    private func fail(_ job: VideoJob, _ problem: ProblemDetails) async {
        var job = job
        job.state = .failed
        job.finished = Date()
        job.problem = VideoJob.Problem(problem)
        _ = update(job.id) { $0 = job }
        do {
            try await history.scans.saveJob(try job.row())
        } catch {
            logger.error("A video's end cannot be kept", metadata: ["video": "\(job.id)", "error": "\(error)"])
        }
        finish(job)
    }

    private func finish(_ job: VideoJob) {
        metrics.videos.with(job.state.rawValue).increment()
        let channel = state.withLock { state -> EventChannel? in
            guard let active = state.active[job.id] else { return nil }
            state.active[job.id]?.task = nil
            state.recent.append(job.id)
            if state.recent.count > Self.maximumRecent { state.active[state.recent.removeFirst()] = nil }
            return active.channel
        }
        guard let channel else { return }
        let names = LabelNames(encyclopaedia: encyclopaedia, language: job.wish.language)
        publish(VideoRepresentation(job, names: names), job.state.rawValue, channel)
        channel.finish()
    }

    /// Videos that wait and that are worked on.
    var counts: (waiting: Int, working: Int) {
        state.withLock { state in
            (
                state.active.values.count { $0.job.state == .waiting },
                state.active.values.count { $0.job.state == .working }
            )
        }
    }

    // MARK: What is made of a video

    /// The findings of a finished video; nil where there are none.
    func findings(_ id: ULID) async throws -> VideoFindings? {
        let folder = folder
        return try await blocking {
            try folder.bytes(of: .tracks, id)
        }.flatMap { try? JSONDecoder().decode(VideoFindings.self, from: Data($0)) }
    }

    /// The path of the annotated file, which is made where it is not there yet.
    func annotated(_ job: VideoJob) async throws -> String {
        if !folder.exists(.annotated, job.id) {
            try await turning(annotating) {
                // Somebody else may have made it meanwhile.
                if self.folder.exists(.annotated, job.id) { return }
                guard let source = self.folder.open(.source, job.id), let findings = try await self.findings(job.id)
                else { throw Problem(.notFound("annotated video", id: "\(job.id)")) }
                _ = try await VideoWork(job: job, source: source, jobs: self).annotate(findings) { _ in }
            }
        }
        return folder.path(of: .annotated, job.id)
    }

    /// The picture in sight at a time.
    func picture(of id: ULID, at milliseconds: Int) async throws -> VideoFrame {
        try await turning(picturing) {
            guard let source = self.folder.open(.source, id) else { throw Problem(.notFound("video", id: "\(id)")) }
            var limits = self.options.limits
            limits.processorTime = min(limits.processorTime, 60)
            return try await VideoReader.picture(
                of: source.descriptor, at: milliseconds, limits: limits, program: self.options.program)
        }
    }

    private func turning<Value: Sendable>(
        _ turns: AsyncTurns, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await turns.run(body)
        } catch is AsyncTurns.Full {
            throw Problem(.overloaded(retryAfterSeconds: 2))
        }
    }
}
