import Base
import Encyclopaedia
import Foundation
import Imaging
import Logging
import Recognition
import Storage
import Streams

/// The work on one video: analysis, annotated file, scans and laps.
struct VideoWork: Sendable {
    struct Progress: Sendable {
        /// From 0 to 1.
        var share: Double
        var milliseconds: Int
        var looked: Int
        var tracks: Int
        /// The new track that is reported; nil for mere progress.
        var track: VideoFindings.Track?
    }

    struct Outcome: Sendable {
        var info: VideoInfo
        var looked: Int
        var tracks: Int
        var warnings: [VideoWarning]
        var scans: [ULID]
        var laps: [Lap]?
        /// The event that closed the laps; nil if none was closed.
        var lapCounting: LapCounting?
        /// The numbers of the laps with a picture; nil if no lap timer has the laps.
        var lapPhotos: Set<Int>?
    }

    let job: VideoJob
    let source: OpenedFile
    let jobs: VideoJobs

    /// The share of the analysis in the progress if the annotated file is made too.
    private static let lookingShare = 0.5
    /// The interval between reports of progress.
    private static let pause = Duration.milliseconds(250)

    var limits: VideoLimits {
        var limits = jobs.options.limits
        // A short video that takes hours is an attack.
        if let duration = job.info.duration {
            limits.processorTime = min(limits.processorTime, 120 + Int(clamping: min(duration, 1e9) * 20))
        }
        return limits
    }

    func run(_ progress: @escaping @Sendable (Progress) -> Void) async throws -> Outcome {
        var options = VideoAnalysis.Options(
            every: job.parameters.every,
            analyser: AnalyserOptions(model: job.parameters.model, detects: job.parameters.detects).forFile,
            limits: limits)
        options.pointed = try await pointed(options)
        let appearance = options.pointed
        let analysis = VideoAnalysis(recogniser: jobs.recogniser, program: jobs.options.program, options: options)
        let shareOfLooking = job.parameters.annotates ? Self.lookingShare : 1
        let timer = Locked(job.parameters.laps?.timer(of: appearance))
        let reported = Locked((last: ContinuousClock.now - .seconds(1), tracks: 0, frames: 0))
        let found = try await analysis.run(source.descriptor) { event in
            switch event {
            case .info: break
            case .answer(let answer, let milliseconds): timer.withLock { $0?.add(answer, at: milliseconds) }
            case .track(let track):
                let (tracks, looked) = reported.withLock { reported in
                    reported.tracks += 1
                    return (reported.tracks, reported.frames)
                }
                progress(Progress(share: 0, milliseconds: track.last, looked: looked, tracks: tracks, track: track))
            case .progress(let milliseconds, let frames):
                if frames > reported.withLock({ $0.frames }) { jobs.observer.analysedPicture() }
                let (isDue, tracks) = reported.withLock { reported in
                    reported.frames = frames
                    guard .now - reported.last >= Self.pause else { return (false, reported.tracks) }
                    reported.last = .now
                    return (true, reported.tracks)
                }
                guard isDue else { return }
                progress(
                    Progress(
                        share: share(milliseconds) * shareOfLooking, milliseconds: milliseconds, looked: frames,
                        tracks: tracks))
            }
        }
        let findings = try await earlierFindings() ?? found
        try await keep(findings)
        var outcome = Outcome(
            info: job.info.read(to: findings.ending), looked: findings.looked, tracks: findings.tracks.count,
            warnings: findings.warnings(detects: job.parameters.detects), scans: [])
        if job.parameters.annotates {
            let (looked, tracks) = (outcome.looked, outcome.tracks)
            let ending = try await annotate(findings) { time in
                let milliseconds = Int(time / 1000)
                progress(
                    Progress(
                        share: Self.lookingShare + share(milliseconds) * (1 - Self.lookingShare),
                        milliseconds: milliseconds, looked: looked, tracks: tracks))
            }
            outcome.warnings += ending.warnings
        }
        if job.parameters.saves { outcome.scans = try await save(findings) }
        if let wanted = job.parameters.laps, let timer = timer.withLock({ $0 }) {
            let (laps, counting) = timer.laps(findings)
            (outcome.laps, outcome.lapCounting) = (laps, counting)
            outcome.lapPhotos = try await keep(laps, counting, wanted)
            if wanted.pointed != nil, appearance == nil { outcome.warnings.append(.nothingPointedAt) }
            if outcome.lapPhotos == nil { outcome.warnings.append(.lapsNotKept(LapSessions.full)) }
        }
        return outcome
    }

    /// The thing that the user points at; nil without a point, and if nothing can be distinguished there.
    private func pointed(_ options: VideoAnalysis.Options) async throws -> ThingAppearance? {
        guard let laps = job.parameters.laps, let pointed = laps.pointed else { return nil }
        do {
            return try await VideoAnalysis(recogniser: jobs.recogniser, program: jobs.options.program, options: options)
                .appearance(
                    ofThingAt: Tap(id: "", x: pointed.point.x, y: pointed.point.y),
                    atMilliseconds: pointed.milliseconds, of: source.descriptor,
                    label: pointed.isNamed ? laps.label : nil)
        } catch VideoError.noFrame {
            throw VideoJobError.pointsOutside(seconds: Double(pointed.milliseconds) / 1000)
        }
    }

    private func share(_ milliseconds: Int) -> Double {
        guard let duration = job.info.duration, duration > 0 else { return 0 }
        return min(1, Double(milliseconds) / 1000 / duration)
    }

    /// The findings of an earlier attempt that may have saved scans already; the stored ids belong to these findings.
    private func earlierFindings() async throws -> VideoFindings? {
        guard job.planned != nil, try await jobs.bring(.tracks, job.id) else { return nil }
        return try await VideoResults(jobs: jobs).findings(job.id)
    }

    private func keep(_ findings: VideoFindings) async throws {
        let bytes = Array(try JSONEncoder().encode(findings))
        let (folder, id) = (jobs.folder, job.id)
        try await jobs.disk.perform { try folder.write(bytes, as: .tracks, id) }
    }

    // MARK: The annotated file

    /// - Parameter progress: gets the position in the video, in microseconds.
    func annotate(_ findings: VideoFindings, _ progress: @escaping @Sendable (Int64) -> Void) async throws
        -> VideoEnding
    {
        let (folder, id) = (jobs.folder, job.id)
        let (encyclopaedia, language) = (jobs.encyclopaedia, job.parameters.language)
        let drawing = findings.drawing(interval: Int(clamping: (1000 / job.parameters.every).rounded(.up))) {
            $0.title(encyclopaedia, in: language)
        }
        var limits = limits
        // The file is about as large as the video.
        let room = min(
            limits.outputBytes, jobs.options.keptBytes / 2,
            max(job.bytes.multipliedReportingOverflow(by: 4).partialValue, 64 << 20))
        try await jobs.reserve(room, for: id)
        defer { jobs.reserved.release(room, of: id) }
        limits.outputBytes = room
        let output = try await jobs.disk.perform { try folder.begin(.annotated, id) }
        do {
            let ending = try await AnnotatedFile.write(
                drawing, of: source.descriptor, to: output.descriptor, limits: limits, program: jobs.options.program,
                progress: { progress($0) })
            try await jobs.makeRoom(for: id, partial: output.size)
            try await jobs.disk.perform { try folder.finish(.annotated, id) }
            return ending
        } catch {
            folder.abandon(.annotated, id)
            throw error
        }
    }

    // MARK: Laps

    /// Saves the laps in a new lap timer, each with the picture of its end.
    ///
    /// - Returns: the numbers of the laps with a picture; nil if there are too many lap timers already.
    private func keep(_ laps: [Lap], _ counting: LapCounting?, _ wanted: VideoLaps) async throws -> Set<Int>? {
        var photos: [Int: [UInt8]] = [:]
        for lap in laps.prefix(Self.maximumScans) {
            try Task.checkCancellation()
            do {
                let frame = try await VideoReader.picture(
                    of: source.descriptor, at: Int(clamping: lap.endedMilliseconds.rounded()), limits: limits,
                    program: jobs.options.program)
                photos[lap.number] = try await jobs.disk.perform { try PhotoEncoder().storedCopy(of: frame.picture) }
            } catch let error as VideoError {
                // A lap is kept even if its picture cannot be read.
                jobs.logger.warning(
                    "A lap has no picture",
                    metadata: ["video": "\(job.id)", "lap": "\(lap.number)", "error": "\(error)"])
            }
        }
        let isKept = try await jobs.laps.keep(
            LapDocument(
                createdAt: Date(), configuration: wanted.configuration, model: job.parameters.model,
                video: job.id.description, laps: laps, photos: Set(photos.keys), lastNumber: laps.last?.number ?? 0,
                counting: counting),
            as: wanted.session, photos: photos)
        return isKept ? Set(photos.keys) : nil
    }
}
