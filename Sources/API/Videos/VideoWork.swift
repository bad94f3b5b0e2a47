import Base
import Encyclopaedia
import Foundation
import History
import Imaging
import Recognition
import Metrics
import Streams
import Video

/// The work on one video, from its pictures to the scans that were asked for.
struct VideoWork: Sendable {
    /// How far it is.
    struct Progress: Sendable {
        /// 0…1.
        var share: Double
        var milliseconds: Int
        var looked: Int
        var tracks: Int
        /// Where it is told because this was found.
        var track: VideoFindings.Track?
    }

    /// What came of it.
    struct Outcome: Sendable {
        var looked: Int
        var tracks: Int
        var warnings: [VideoWarning]
        var scans: [ULID]
        var laps: [Lap]?
        /// What closed them; nil where nothing did.
        var lapCounting: LapCounting?
        /// Numbers of the laps with a picture; nil where the laps are not kept.
        var lapPhotos: Set<Int>?
    }

    let job: VideoJob
    let source: OpenedFile
    let jobs: VideoJobs

    /// Of the time, where the annotated file is made too, what looking takes.
    private static let lookingShare = 0.5
    /// Between two signs of progress.
    private static let pause = Duration.milliseconds(250)

    var limits: VideoLimits {
        var limits = jobs.options.limits
        // A short video that takes hours is one that was made to.
        if let duration = job.info.duration {
            limits.processorTime = min(limits.processorTime, 120 + Int(clamping: min(duration, 1e9) * 20))
        }
        return limits
    }

    func run(_ progress: @escaping @Sendable (Progress) -> Void) async throws -> Outcome {
        var options = VideoAnalysis.Options(
            every: job.wish.every,
            analyser: AnalyserOptions(
                model: job.wish.model, detects: job.wish.detects, priority: .bulk, patience: .seconds(300)),
            limits: limits)
        options.pointed = try await pointed(options)
        let look = options.pointed
        let analysis = VideoAnalysis(recogniser: jobs.recogniser, program: jobs.options.program, options: options)
        let shareOfLooking = job.wish.annotates ? Self.lookingShare : 1
        let timer = Locked(job.wish.laps?.timer(of: look))
        let told = Locked((last: ContinuousClock.now - .seconds(1), tracks: 0, frames: 0))
        let found = try await analysis.run(source.descriptor) { event in
            switch event {
            case .info: break
            case .answer(let answer, let milliseconds): timer.withLock { $0?.add(answer, at: milliseconds) }
            case .track(let track):
                let (tracks, looked) = told.withLock { told in
                    told.tracks += 1
                    return (told.tracks, told.frames)
                }
                progress(
                    Progress(
                        share: 0, milliseconds: track.last, looked: looked, tracks: tracks, track: track))
            case .progress(let milliseconds, let frames):
                if frames > told.withLock({ $0.frames }) { jobs.metrics.videoFrames.increment() }
                let (isDue, tracks) = told.withLock { told in
                    told.frames = frames
                    guard .now - told.last >= Self.pause else { return (false, told.tracks) }
                    told.last = .now
                    return (true, told.tracks)
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
            looked: findings.looked, tracks: findings.tracks.count, warnings: warnings(findings), scans: [])
        if job.wish.annotates {
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
        if job.wish.saves { outcome.scans = try await save(findings) }
        if let wanted = job.wish.laps, let timer = timer.withLock({ $0 }) {
            let (laps, counting) = timer.laps(findings)
            (outcome.laps, outcome.lapCounting) = (laps, counting)
            outcome.lapPhotos = try await keep(laps, counting, wanted)
            if wanted.pointed != nil, look == nil { outcome.warnings.append(.nothingPointedAt) }
            if outcome.lapPhotos == nil { outcome.warnings.append(.lapsNotKept(LapSessions.full)) }
        }
        return outcome
    }

    /// The thing whose laps are wanted; nil for what has a label, and where nothing can be told apart at the point.
    private func pointed(_ options: VideoAnalysis.Options) async throws -> ThingAppearance? {
        guard let laps = job.wish.laps, let pointed = laps.pointed else { return nil }
        return try await VideoAnalysis(recogniser: jobs.recogniser, program: jobs.options.program, options: options)
            .appearance(
                ofThingAt: Tap(id: "", x: pointed.point.x, y: pointed.point.y), atMilliseconds: pointed.milliseconds,
                of: source.descriptor, label: pointed.isNamed ? laps.label : nil)
    }

    private func share(_ milliseconds: Int) -> Double {
        guard let duration = job.info.duration, duration > 0 else { return 0 }
        return min(1, Double(milliseconds) / 1000 / duration)
    }

    private func warnings(_ findings: VideoFindings) -> [VideoWarning] {
        var warnings: [VideoWarning] = []
        if findings.ending.isTruncated { warnings.append(.truncated) }
        if findings.ending.damaged > 0 { warnings.append(.damaged(findings.ending.damaged)) }
        if job.wish.detects, !findings.wasSearched { warnings.append(.notSearched) }
        return warnings
    }

    /// Those of an attempt of which scans may be saved already, to which the names of these belong.
    private func earlierFindings() async throws -> VideoFindings? {
        guard job.planned != nil, try await jobs.bring(.tracks, job.id) else { return nil }
        return try await VideoResults(jobs: jobs).findings(job.id)
    }

    private func keep(_ findings: VideoFindings) async throws {
        let bytes = Array(try JSONEncoder().encode(findings))
        let (folder, id) = (jobs.folder, job.id)
        try await jobs.blocking {
            try folder.write(bytes, as: .tracks, id)
        }
    }

    // MARK: The annotated file

    /// - Parameter progress: microseconds of the video that are written.
    func annotate(_ findings: VideoFindings, _ progress: @escaping @Sendable (Int64) -> Void) async throws
        -> VideoEnding
    {
        let (folder, id) = (jobs.folder, job.id)
        let names = LabelNames(encyclopaedia: jobs.encyclopaedia, language: job.wish.language)
        let drawing = findings.drawing(interval: Int(clamping: (1000 / job.wish.every).rounded(.up))) { track in
            let name = names.name(track.label, from: .box)
            guard let kind = track.kind else { return "\(name) \(LabelNames.percent(track.best.confidence))" }
            let prediction = names.prediction(kind.prediction, head: kind.head)
            let text = "\(prediction.name) \(prediction.percent)"
            return track.species == nil ? "\(name): \(text)" : text
        }
        var limits = limits
        // About as large as what it is made of.
        let room = min(
            limits.outputBytes, jobs.options.keptBytes / 2,
            max(job.bytes.multipliedReportingOverflow(by: 4).partialValue, 64 << 20))
        try await jobs.promise(room, to: id)
        defer { jobs.promised.take(room, from: id) }
        limits.outputBytes = room
        let bounds = limits
        let output = try await jobs.blocking {
            try folder.begin(.annotated, id)
        }
        do {
            let ending = try await AnnotatedFile.write(
                drawing, of: source.descriptor, to: output.descriptor, limits: bounds, program: jobs.options.program,
                progress: { progress($0) })
            try await jobs.makeRoom(for: id, partial: output.size)
            try await jobs.blocking {
                try folder.finish(.annotated, id)
            }
            return ending
        } catch {
            folder.abandon(.annotated, id)
            throw error
        }
    }

    // MARK: Laps

    /// Keeps laps as a lap timer of their own, each with the picture of its end.
    ///
    /// - Returns: the numbers of those with a picture; nil where there are too many lap timers already.
    private func keep(_ laps: [Lap], _ counting: LapCounting?, _ wanted: VideoLaps) async throws -> Set<Int>? {
        var photos: [Int: [UInt8]] = [:]
        for lap in laps.prefix(Self.maximumScans) {
            try Task.checkCancellation()
            // A lap without its picture is better than none.
            guard
                let frame = try? await VideoReader.picture(
                    of: source.descriptor, at: Int(clamping: lap.endedMilliseconds.rounded()), limits: limits,
                    program: jobs.options.program)
            else { continue }
            photos[lap.number] = try await jobs.blocking { try PhotoEncoder().storedCopy(of: frame.picture) }
        }
        let isKept = try await jobs.laps.keep(
            LapDocument(
                createdAt: Date(), configuration: wanted.configuration, model: job.wish.model,
                video: job.id.description, laps: laps, photos: Set(photos.keys), lastNumber: laps.last?.number ?? 0,
                counting: counting),
            as: wanted.session, photos: photos)
        return isKept ? Set(photos.keys) : nil
    }
}
