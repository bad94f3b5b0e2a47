package import Base
import Foundation
import Imaging
import Logging
import Storage

/// The results that are made on request: the findings, the file with drawn boxes, and single pictures.
package struct VideoResults: Sendable {
    private let jobs: VideoJobs
    private let annotating = AsyncTurns(width: 1, maximumWaiting: Self.maximumAnnotating)
    private let picturing = AsyncTurns(width: 2, maximumWaiting: 16)

    /// The number of annotated files that may wait for their turn.
    static let maximumAnnotating = 4
    /// The processor time for a single picture, in seconds.
    private static let pictureTime = 60

    package init(jobs: VideoJobs) { self.jobs = jobs }

    /// The findings of a finished video; nil if there are none, or their file is damaged.
    package func findings(_ id: ULID) async throws -> VideoFindings? {
        let folder = jobs.folder
        guard let bytes = try await jobs.disk.perform({ try folder.bytes(of: .tracks, id) }) else { return nil }
        do {
            let findings = try JSONDecoder().decode(VideoFindings.self, from: Data(bytes))
            try findings.validate()
            return findings
        } catch {
            jobs.logger.error("The findings of a video are damaged", metadata: ["video": "\(id)", "error": "\(error)"])
            return nil
        }
    }

    /// The path of the annotated file, which is made at the first request.
    package func annotated(_ job: VideoJob) async throws -> String {
        let folder = jobs.folder
        if !folder.exists(.annotated, job.id) {
            try await turning(annotating) {
                // Another request may have made it in the meantime.
                if folder.exists(.annotated, job.id) { return }
                guard let source = folder.open(.source, job.id), VideoFolder.startReading(source.descriptor),
                    let findings = try await findings(job.id)
                else { throw VideoJobError.gone(job.id) }
                do {
                    _ = try await VideoWork(job: job, source: source, jobs: jobs).annotate(findings) { _ in }
                } catch {
                    // The video was removed meanwhile, with the folder of the new file.
                    guard folder.exists(.source, job.id) else { throw VideoJobError.gone(job.id) }
                    throw error
                }
            }
        }
        return folder.path(of: .annotated, job.id)
    }

    /// The picture at a time in the video, as a JPEG file, and its own time in microseconds.
    package func picture(of job: VideoJob, at milliseconds: Int) async throws -> (file: [UInt8], time: Int64) {
        let frame = try await turning(picturing) {
            // An unfinished video is never removed to make room, and its worker has the lock.
            guard let source = jobs.folder.open(.source, job.id),
                !job.state.isOver || VideoFolder.startReading(source.descriptor)
            else { throw VideoJobError.gone(job.id) }
            var limits = jobs.options.limits
            limits.processorTime = min(limits.processorTime, Self.pictureTime)
            do {
                return try await VideoReader.picture(
                    of: source.descriptor, at: milliseconds, limits: limits, program: jobs.options.program)
            } catch {
                jobs.countCrash(error)
                throw error
            }
        }
        return (try await jobs.disk.perform { try PhotoEncoder().storedCopy(of: frame.picture) }, frame.time)
    }

    private func turning<Value: Sendable>(_ turns: AsyncTurns, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await turns.run(body)
        } catch is AsyncTurns.Full {
            throw VideoJobError.busy
        }
    }
}
