import Base
import Encyclopaedia
import HTTP
import History
import Logging
import Video

/// What replicas do together: each video is worked on by one of them, and all of them have its file and its findings. The
/// annotated file is made anew where it is asked for.
extension VideoJobs {
    /// Seconds after which the video of a replica that died is another one's.
    private static let claim = 30
    static let root = "videos/"

    private static func path(_ file: VideoFolder.File, _ id: ULID) -> String { "\(root)\(id)/\(file.rawValue)" }

    // MARK: Files

    /// Gives a file to the other replicas.
    func share(_ file: VideoFolder.File, _ id: ULID) async throws {
        guard let files = history.files else { return }
        guard let opened = folder.open(file, id) else { throw VideoError.system("its file is gone") }
        try await files.store(Self.path(file, id), bytes: opened.size) { position, count in
            try await blocking { try opened.read(count, at: position) }
        }
    }

    /// Has a file be here that this replica or another one has made; false where there is none.
    func bring(_ file: VideoFolder.File, _ id: ULID) async throws -> Bool {
        let folder = folder
        guard let files = history.files, !folder.exists(file, id) else { return folder.exists(file, id) }
        return try await bringing.run {
            if folder.exists(file, id) { return true }
            guard try await files.holds(Self.path(file, id)) else { return false }
            let opened = try await blocking { try folder.begin(file, id) }
            do {
                let isThere = try await files.load(Self.path(file, id)) { bytes, position in
                    try await blocking { try opened.write(bytes, at: position) }
                }
                guard isThere else { throw VideoError.system("its file is gone") }
                try await blocking { try folder.finish(file, id) }
            } catch {
                folder.abandon(file, id)
                throw error
            }
            return true
        }
    }

    // MARK: Progress

    /// Between two looks at how far a video is.
    private static let step = Duration.seconds(1)

    /// Has the row say how far a video is, for the other replicas, until the task is cancelled.
    func tellReplicas(of id: ULID) async {
        guard history.claims != nil else { return }
        var told: Int?
        while (try? await Task.sleep(for: Self.step)) != nil {
            guard let job = active.job(id), job.milliseconds != told, let row = try? job.row() else { continue }
            // What cannot be kept now is a second later.
            if (try? await history.scans.updateJob(row)) == true { told = job.milliseconds }
        }
    }

    /// The events of a video that another replica works on, as far as its row tells them: no tracks.
    func follow(_ id: ULID) -> EventChannel {
        followed.channel(id) { [self] channel in
            var told: [UInt8]?
            repeat {
                do {
                    guard let job = try await stored(id) else {
                        channel.publish(#"{"state":"cancelled"}"#, event: "cancelled")
                        return
                    }
                    guard !job.state.isFinished else {
                        let names = LabelNames(encyclopaedia: encyclopaedia, language: job.wish.language)
                        return publish(VideoRepresentation(job, names: names), job.state.rawValue, channel)
                    }
                    let progress = try JSON.encode(VideoProgress(job))
                    if progress != told { publish(VideoProgress(job), "progress", channel) }
                    told = progress
                } catch {
                    // The database is away; the clients wait with us.
                }
            } while (try? await Task.sleep(for: Self.step)) != nil
        }
    }

    // MARK: Claims

    /// Claims a video for this replica; true where nobody shares the history.
    func claim(_ id: ULID) async throws -> Bool { try await history.claims?.claim(id, for: Self.claim) ?? true }

    func release(_ id: ULID) async { try? await history.claims?.release(id) }

    /// Holds the claims of the videos that are worked on here, and takes over those of replicas that are gone.
    func keepUp() async {
        guard history.claims != nil else { return }
        do {
            for id in active.unfinishedIDs where try await !claim(id) {
                // This replica was away for too long.
                active.remove(id)?.channel.finish()
            }
            for job in try await unfinished() where active.job(job.id) == nil {
                guard reservePlace(for: job.id) else { break }
                defer { active.giveBack(job.id) }
                guard try await claim(job.id) else { continue }
                await takeOver(job)
            }
        } catch is CancellationError {
        } catch {
            logger.warning("The videos of other replicas cannot be looked up", metadata: ["error": "\(error)"])
        }
    }

    private func takeOver(_ job: VideoJob) async {
        do {
            // It may have ended since it was listed.
            guard let job = try await stored(job.id), !job.state.isFinished else { return await release(job.id) }
            if try await bring(.source, job.id) {
                start(job)
            } else {
                if job.keeper == history.replica { await fail(job, VideoError.system("its file is gone").problem) }
                // Otherwise a replica of a release that kept files to itself has it.
                await release(job.id)
            }
        } catch {
            await release(job.id)
            logger.warning("A video cannot be taken over", metadata: ["video": "\(job.id)", "error": "\(error)"])
        }
    }

    /// Videos that are not done, the oldest first.
    func unfinished() async throws -> [VideoJob] {
        try await history.scans.allJobs(VideoJob.kind).compactMap(VideoJob.init).filter { !$0.state.isFinished }
            .reversed()
    }

    /// Leaves what is not done to other replicas. It counts as no attempt: nothing went wrong.
    func handOver(_ jobs: [VideoJob]) async {
        guard history.claims != nil else { return }
        for var job in jobs where (try? await claim(job.id)) == true {
            job.state = .waiting
            job.attempts = max(0, job.attempts - 1)
            if let row = try? job.row() { _ = try? await history.scans.updateJob(row) }
            await release(job.id)
        }
    }

    /// Removes files that no video has any more, of uploads that were cut off.
    func removeLeftovers() async throws {
        guard let files = history.files else { return }
        let ids = Set(
            try await files.paths(under: Self.root).compactMap { path in
                ULID(String(path.dropFirst(Self.root.count).prefix { $0 != "/" }))
            })
        for id in ids where Self.isPastReception(id) && active.job(id) == nil {
            if try await history.scans.job(VideoJob.kind, id: id) == nil {
                try await files.remove(under: "\(Self.root)\(id)/")
            }
        }
    }
}
