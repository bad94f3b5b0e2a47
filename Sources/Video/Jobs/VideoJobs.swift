package import Base
package import Encyclopaedia
import Foundation
package import Logging
package import Recognition
package import Storage
package import Streams

/// The videos of the service: their files and their analysis.
package final class VideoJobs: JobService {
    package let options: VideoOptions
    let folder: VideoFolder
    package let recogniser: Recogniser
    package let history: HistoryStore
    let encyclopaedia: Encyclopaedia
    let observer: any VideoObserver
    /// The lap timers, which keep the laps of videos.
    let laps: LapSessions
    package let table: JobTable<VideoJob>
    package let files: JobFiles
    /// Reads and writes files.
    let disk = BlockingPool(label: "menagerie.videos", width: 2, maximumPending: 256)
    /// Limits the processes that inspect uploads. Each upload has a place in the queue already.
    let probing: AsyncTurns
    let reserved: ReservedSpace
    /// Makes room for one new video at a time.
    let accepting: AsyncTurns
    package let logger = Logger(label: "menagerie.videos")

    package init(
        options: VideoOptions, recogniser: Recogniser, history: HistoryStore, encyclopaedia: Encyclopaedia,
        laps: LapSessions, observer: any VideoObserver
    ) {
        self.options = options
        folder = history.videos
        self.recogniser = recogniser
        self.history = history
        self.encyclopaedia = encyclopaedia
        self.observer = observer
        self.laps = laps
        reserved = ReservedSpace(limit: options.keptBytes)
        table = JobTable(width: options.concurrency, maximumWaiting: options.maximumWaiting, remembered: 32)
        files = JobFiles(history, "videos")
        let places = options.concurrency + options.maximumWaiting
        probing = AsyncTurns(width: 2, maximumWaiting: places)
        // Uploads, and annotated files.
        accepting = AsyncTurns(width: 1, maximumWaiting: places + VideoResults.maximumAnnotating)
    }

    // MARK: Start and end

    /// Continues the unfinished videos of an earlier process. Stops all work when the task is cancelled.
    package func run() async {
        await resume()
        while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
        await shutDown()
    }

    /// Continues the unfinished videos of an earlier process.
    package func resume() async {
        await begin()
        // The end of a process interrupted these uploads.
        await removeFolders { _ in true }
    }

    /// Stops all work. The next start continues it.
    package func shutDown() async {
        await stopJobs()
        observer.changed(.stopped)
    }

    // MARK: Changes

    package func changed(_ job: VideoJob, from earlier: VideoJob?) {
        if job.state.isOver {
            guard earlier?.state.isOver != true else { return }
            observer.changed(.ended(job))
        } else if !table.isHere(job.id), earlier == nil || earlier?.progressMark != job.progressMark {
            // The row has no tracks.
            observer.changed(.progress(job))
        }
    }

    private func report(_ id: ULID, _ progress: VideoWork.Progress) {
        let job = note(id) { job in
            job.progress = max(job.progress, min(progress.share, 0.999))
            job.milliseconds = progress.milliseconds
            job.looked = progress.looked
            job.tracks = progress.tracks
        }
        guard let job else { return }
        observer.changed(progress.track.map { .track($0, of: job) } ?? .progress(job))
    }

    // MARK: Work

    /// Whether this process has the file, or can fetch it. A video without a file fails when its turn comes.
    package func canRun(_ job: VideoJob) async throws -> Bool {
        if job.keeper == history.folder || folder.exists(.source, job.id) { return true }
        return try await files.holds(VideoFolder.File.source.rawValue, of: job.id)
    }

    package func run(_ job: VideoJob) async throws {
        let id = job.id
        _ = try await bring(.source, id)
        guard let source = folder.open(.source, id) else { throw VideoError.system("its file is gone") }
        // Processes may share the folder. The lock ends with its process, so that another one can continue.
        guard source.lock() else { throw JobIsElsewhere() }
        let begun = try await update(id) { job in
            job.state = .working
            job.started = Date()
            job.attempts += 1
        }
        guard begun.attempts <= VideoJob.maximumAttempts else {
            throw VideoError.abandoned(attempts: VideoJob.maximumAttempts)
        }
        let findings = try await VideoWork(job: begun, source: source, jobs: self).run { self.report(id, $0) }
        try Task.checkCancellation()
        try await share(.tracks, id)
        // Readers come as soon as the video is done, perhaps before the decoder's process has closed the file.
        _ = VideoFolder.startReading(source.descriptor)
        try await update(id) { job in
            job.state = .done
            job.progress = 1
            job.finished = Date()
            job.info = findings.info
            job.looked = findings.looked
            job.tracks = findings.tracks
            job.warnings = findings.warnings
            job.scans = findings.scans
            job.laps = findings.laps
            job.lapCounting = findings.lapCounting
            job.lapPhotos = findings.lapPhotos
        }
    }

    package func end(_ job: inout VideoJob, _ error: any Error) {
        countCrash(error)
        job.state = .failed
        job.finished = Date()
        job.problem = observer.problem(of: error)
    }

    /// An attempt that the end of the service interrupts does not count.
    package func handOver(_ job: inout VideoJob) { job.attempts = max(0, job.attempts - 1) }

    package func ended(_ job: VideoJob) async { observer.ended(job.state) }

    package func removed(_ id: ULID, _ job: VideoJob?, wasHere: Bool) async {
        let wasOver = job?.state.isOver ?? true
        if wasHere, !wasOver { observer.ended(.cancelled) }
        observer.changed(.removed(id, wasOver: wasOver))
        let folder = folder
        do {
            try await disk.perform { folder.remove(id) }
        } catch {
            logger.warning("Files of a video are not removed", metadata: ["video": "\(id)", "error": "\(error)"])
        }
    }

    /// Counts the error if it is a crash of the helper process.
    func countCrash(_ error: any Error) {
        if case VideoError.crashed = error { observer.crashed() }
    }

    // MARK: Files

    /// Stores a file for the other processes.
    func share(_ file: VideoFolder.File, _ id: ULID) async throws {
        let isShared = try await files.share(file.rawValue, of: id, at: folder.path(of: file, id))
        guard isShared || history.files == nil else { throw VideoError.system("its file is gone") }
    }

    /// Fetches a file if another process made it; false if there is none.
    package func bring(_ file: VideoFolder.File, _ id: ULID) async throws -> Bool {
        try await files.bring(file.rawValue, of: id, to: folder.path(of: file, id))
    }

    /// Removes the local files of videos that another process removed.
    package func tidy() async throws {
        // An upload in progress has no row yet.
        await removeFolders(where: JobFiles.isPastReception)
    }

    private func removeFolders(where mayGo: (ULID) -> Bool) async {
        let folder = folder
        // If too much waits for the disk, the next call lists them.
        let ids = try? await disk.perform { folder.ids }
        await removeFolders(of: ids ?? [], afterEnd: false, where: mayGo) { id in
            try await disk.perform { folder.removeUnlocked(id) }
        }
    }
}
