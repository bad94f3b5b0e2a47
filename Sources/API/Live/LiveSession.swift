import Base
import Encyclopaedia
import Foundation
import HTTP
import Imaging
import Metrics
import Recognition
import Storage
import Streams
import Training

/// One camera's stream: it reads the client's messages, recognises the newest frames and answers.
///
/// The reader never waits for the models, so a newer frame replaces the waiting one. As many frames as the stream's
/// share of the cores (``FrameLanes``) are recognised at a time, while earlier ones are answered in order. One more
/// frame waits, and the last answered one is held for `keep`.
final class LiveSession: Sendable {
    struct Signs {
        var lastMessage = ContinuousClock.now
        var sendingSince: ContinuousClock.Instant?
        /// The timer that another stream feeds now in place of this one.
        var lost: ULID?
    }

    let socket: WebSocket
    let services: LiveServices
    private let analyser: FrameAnalyser
    let mailbox: LiveMailbox<LiveCommand>
    let signs = Locked(Signs())

    init(_ socket: WebSocket, services: LiveServices, settings: LiveSettings) {
        self.socket = socket
        self.services = services
        analyser = FrameAnalyser(recogniser: services.recogniser, options: settings.analyser)
        mailbox = LiveMailbox(lanes: services.lanes)
    }

    /// Serves the client until it leaves or is dropped.
    func run(_ settings: LiveSettings) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.read() }
            group.addTask { try await self.watch() }
            group.addTask { try await self.work(settings) }
            defer {
                group.cancelAll()
                mailbox.close()
            }
            // If the client closes, the reader ends first, and the worker then finishes what is there. The watch ends
            // only by an error, or with the others.
            _ = try await group.next()
            if mailbox.isClosed { _ = try await group.next() }
        }
    }

    // MARK: Working

    /// Begins frames while earlier ones are answered.
    private func work(_ settings: LiveSettings) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await self.begin() }
            group.addTask { try await self.answerFrames(settings) }
        }
    }

    /// Sends frames to the models.
    private func begin() async {
        await withDiscardingTaskGroup { inferences in
            while let frame = await mailbox.nextFrame() {
                inferences.addTask { await self.infer(frame) }
            }
        }
    }

    private func infer(_ frame: LiveFrame) async {
        do {
            mailbox.saw(.success(try await analyser.infer(.file(frame.bytes))), in: frame)
        } catch {
            mailbox.saw(.failure(error), in: frame)
        }
    }

    /// Sends the results, and carries out commands.
    private func answerFrames(_ settings: LiveSettings) async throws {
        var settings = settings
        var last: LiveFrame?
        var (taps, shown): ([TapLabel], [String: String]) = ([], [:])
        var feed = try await attach(settings.laps)
        defer { feed?.detach() }
        await follow(feed, replacing: nil)
        while let work = await mailbox.next() {
            // A stream that was ended does nothing more, not even the commands that its client sent before.
            try Task.checkCancellation()
            do {
                switch work {
                case .seen(let frame, let seen):
                    taps = try await answer(frame, try seen.get(), settings, feed, &shown)
                    last = frame
                case .command(.settings(let changes)):
                    let changed = try await settings.changed(by: changes, services.completed)
                    let next = changed.laps == settings.laps ? feed : try await attach(changed.laps)
                    // A refused change leaves everything as it was.
                    try await analyser.apply(changed.analyser)
                    if next !== feed { await follow(next, replacing: feed) }
                    (feed, settings) = (next, changed)
                case .command(.tap(let tap)):
                    shown[tap.id] = nil
                    await analyser.follow(tap)
                    // If no newer frame is coming, the frame that the user saw is examined again.
                    if let last, !mailbox.hasFrame { taps = try await analyseAgain(last, settings, &shown) }
                case .command(.untap(let id)):
                    shown[id] = nil
                    guard await analyser.forget(tap: id) else { throw ProblemDetails.notFound("tap", id: id) }
                case .command(.point(let tap)):
                    try await point(at: tap, in: last, feed, settings)
                case .command(.keep(let id, let note)):
                    let tap = try id.map { id in
                        guard let tap = taps.first(where: { $0.id == id }) else {
                            throw ProblemDetails.notFound("tap", id: id)
                        }
                        return tap
                    }
                    try await keep(last, tap, note, settings)
                // The reader handles this command at once, so that it stays with its frame.
                case .command(.frame): break
                }
            } catch let error as any ProblemConvertible {
                if case .seen = work { services.metrics.live.count(.failed) }
                try await send(error.problem)
            } catch  where !(error is ConnectionLost || error is CancellationError || error is WebSocketError) {
                // The client learns that its stream is closed. The log has the error.
                try await send(
                    ProblemDetails(
                        .internalServerError, detail: "This could not be worked on, and the stream is closed."))
                throw error
            }
        }
    }

    /// - Returns: the names of the taps.
    private func answer(
        _ frame: LiveFrame, _ inference: FrameInference, _ settings: LiveSettings, _ feed: LapFeed?,
        _ shown: inout [String: String]
    ) async throws -> [TapLabel] {
        let answer = try await analyser.analyse(inference, of: .file(frame.bytes), atMilliseconds: frame.atMilliseconds)
        let names = services.encyclopaedia.names(in: settings.language)
        try await send(
            LiveAnswer(answer, of: frame, dropped: mailbox.dropped, settings: settings, names: names) {
                services.training?.learntAnswers(to: $0, top: settings.top)
            })
        services.metrics.live.count(.answered)
        services.metrics.live.latency.record(duration: ContinuousClock.now - frame.arrival)
        try await sendLabels(answer, settings, &shown)
        guard let feed else { return answer.taps }
        let (laps, state) = try await feed.observe(answer, frame)
        for (lap, hasPhoto) in laps {
            try await send(
                LapMessage.lap(
                    LapRepresentation(lap, session: feed.id, name: names.lapName(lap.label), hasPhoto: hasPhoto)))
        }
        if let state { try await send(LapMessage.state(id: feed.id.description, state)) }
        return answer.taps
    }

    /// - Returns: the names of the taps.
    private func analyseAgain(
        _ frame: LiveFrame, _ settings: LiveSettings, _ shown: inout [String: String]
    ) async throws -> [TapLabel] {
        let answer = try await analyser.analyse(.file(frame.bytes), atMilliseconds: frame.atMilliseconds)
        try await sendLabels(answer, settings, &shown)
        return answer.taps
    }

    /// Sends a label when it is new or has changed. Its place is in every answer.
    private func sendLabels(
        _ answer: FrameAnswer, _ settings: LiveSettings, _ shown: inout [String: String]
    ) async throws {
        for tap in answer.taps {
            guard tap.name != nil || tap.isNothing else { continue }
            let label = tap.name.map { $0.kind?.prediction.label ?? $0.label } ?? ""
            let text = "\(label) \(tap.track ?? 0) \(settings.language)"
            guard shown.updateValue(text, forKey: tap.id) != text else { continue }
            let names = services.encyclopaedia.names(in: settings.language)
            try await send(LiveLabel(tap, names: names))
        }
        // A tap ends with its track, or gives way to newer ones.
        shown = shown.filter { shown in answer.taps.contains { $0.id == shown.key } }
    }

    /// Saves the frame of the last answer as a scan. With a tap, the answer is the breed or species of what was tapped.
    private func keep(_ frame: LiveFrame?, _ tap: TapLabel?, _ note: String?, _ settings: LiveSettings) async throws {
        guard let frame else {
            throw ProblemDetails(.conflict, detail: "No frame was answered yet, so that there is nothing to keep.")
        }
        let update = note.flatMap { $0.isEmpty ? nil : ScanUpdate(note: .set($0)) }
        try update?.validate()
        let options = ClassificationOptions(
            crop: settings.analyser.crop, head: settings.analyser.head,
            requiredHeads: settings.analyser.requiredHeads,
            copy: .init(keepsMetadata: services.keepsMetadata))
        let models = try await services.recogniser.frameModels(settings.analyser.model, detects: false)
        let classification = try await services.recogniser.classify(
            frame.bytes, model: models.classifier.description, options: options
        ).agreeing(with: tap?.name?.agreed)
        var scan = Scan(classification, top: settings.top, heads: settings.heads, language: settings.language)
        scan.learnt = services.training?.learntAnswers(to: classification, top: settings.top)
        try Task.checkCancellation()
        let saved = try await services.history.record(scan, photo: classification.storedCopy).scan
        if let update { _ = try await services.history.scans.update(id: saved.id, update) }
        services.metrics.savedScan()
        try await send(LiveKept(id: saved.id.description, url: "/history/\(saved.id)", frame: frame.number))
    }

    private func attach(_ id: ULID?) async throws -> LapFeed? {
        guard let id else { return nil }
        return try await services.laps.attach(
            id,
            LapSessions.Feeder(
                lastMessage: { [signs] in signs.withLock { $0.lastMessage } },
                end: { [signs] in signs.withLock { $0.lost = id } }))
    }

    /// Passes the frames to a timer from now on.
    private func follow(_ next: LapFeed?, replacing feed: LapFeed?) async {
        feed?.detach()
        await analyser.seek(next?.pointed)
    }

    /// Times the thing that the user sees at a place in the last answered frame.
    private func point(at tap: Tap?, in frame: LiveFrame?, _ feed: LapFeed?, _ settings: LiveSettings) async throws {
        guard let feed else {
            throw ProblemDetails(.conflict, detail: "There is no lap timer to point for: open the stream with laps=ID.")
        }
        var thing: ThingAppearance?
        if let tap {
            guard let frame else {
                throw ProblemDetails(
                    .conflict, detail: "No frame was answered yet, so that there is nothing to point at.")
            }
            thing = try await analyser.appearance(ofThingAt: tap, in: .file(frame.bytes))
            guard thing != nil else {
                throw ProblemDetails.nothingPointedAt(
                    "Nothing can be told apart there. Point at the middle of the thing, or draw a box around it.")
            }
        }
        let pointed = try feed.point(at: thing)
        await analyser.seek(pointed, inSightAtMilliseconds: frame?.atMilliseconds)
        let names = services.encyclopaedia.names(in: settings.language)
        try await send(LivePointed(pointed, in: feed.id.description, names: names))
    }

    // MARK: Sending

    private func send(_ message: some Encodable) async throws {
        try await send(text: String(decoding: try JSON.encode(message), as: UTF8.self))
    }

    /// Sends `{"type":"problem", …}`. The problem's own type is the member `problem`.
    func send(_ problem: ProblemDetails) async throws {
        try await send(text: String(decoding: problem.message, as: UTF8.self))
    }

    private func send(text: String) async throws {
        signs.withLock { $0.sendingSince = .now }
        try await socket.send(text)
        signs.withLock { $0.sendingSince = nil }
    }
}
