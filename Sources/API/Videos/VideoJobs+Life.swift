import Base
import Foundation
import HTTP
import History
import Logging
import Video

/// From the service's start to its end.
extension VideoJobs {
    /// Between two looks for what other replicas did.
    private static let rounds = Duration.seconds(10)
    /// Seconds after which a video without a row is none that is being received.
    private static let reception: TimeInterval = 6 * 3_600

    /// Goes on with the videos that an earlier process left, until the task is cancelled; then stops all work.
    package func run() async {
        await resume()
        var round = 0
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.rounds) } catch { break }
            await keepUp()
            round += 1
            // Less in a hurry.
            if round.isMultiple(of: 6) { await forgetRemoved() }
        }
        await stop()
    }

    /// Goes on with the videos that an earlier process left unfinished.
    package func resume() async {
        do {
            let rows = try await history.scans.allJobs(VideoJob.kind)
            if history.claims != nil {
                await keepUp()
            } else {
                for job in rows.reversed().compactMap(VideoJob.init) where !job.state.isFinished {
                    if folder.exists(.source, job.id) {
                        start(job)
                    } else {
                        await fail(job, VideoError.system("its file is gone").problem)
                    }
                }
            }
            // Files of uploads that were cut off by the end of a process.
            let known = Set(rows.map(\.id))
            for id in folder.ids where !known.contains(id) && active.job(id) == nil {
                folder.remove(id)
            }
        } catch {
            logger.error("The videos of before cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Stops the work on videos that another replica has removed, and removes their files.
    private func forgetRemoved() async {
        guard history.replica != nil else { return }
        // One that is being received has no row yet.
        for id in folder.ids where active.job(id) != nil || Self.isPastReception(id) {
            do {
                if try await history.scans.job(VideoJob.kind, id: id) == nil { _ = try await remove(id) }
            } catch {
                logger.warning("A video cannot be looked up", metadata: ["video": "\(id)", "error": "\(error)"])
            }
        }
        do {
            try await removeLeftovers()
        } catch {
            logger.warning("Leftovers of videos cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Whether a video has a row by now if it was received at all.
    static func isPastReception(_ id: ULID) -> Bool { id.date.timeIntervalSinceNow < -reception }

    /// Stops all work; what is not done goes on after the next start.
    package func stop() async {
        followed.stop()
        await active.stop()
        await handOver(active.unfinishedIDs.compactMap(active.job))
    }
}
