import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Live
import Recognition
import Scans
import Telemetry

/// One camera: reads what its client sends, looks at the newest frame whenever it has the time, and answers.
///
/// The reader never waits for the models, so that a newer frame replaces the one that waits. The worker has as many frames
/// in work as its share of the cores (``FrameLanes``), and answers them in their order. Beside those, one frame waits and
/// the last answered one is held for `keep`.
final class LiveSession: Sendable {
    /// A flood is read no faster than this, so that it costs the processor no more than a share.
    private enum Flood {
        static let window = Duration.milliseconds(100)
        static let messages = 100
        static let bytes = 8 << 20
    }

    /// How long a client may take to read an answer before it is given up.
    private static let patience = Duration.seconds(30)

    private struct Signs {
        var heard = ContinuousClock.now
        var sendingSince: ContinuousClock.Instant?
    }

    private let socket: WebSocket
    private let services: LiveServices
    private let analyser: FrameAnalyser
    private let mailbox: LiveMailbox
    private let signs = Locked(Signs())

    init(_ socket: WebSocket, services: LiveServices, settings: LiveSettings) {
        self.socket = socket
        self.services = services
        analyser = FrameAnalyser(recogniser: services.recogniser, options: settings.analyser)
        mailbox = LiveMailbox(lanes: services.lanes)
    }

    /// Serves the client until it leaves or is given up.
    func run(_ settings: LiveSettings) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.read() }
            group.addTask { try await self.watch() }
            group.addTask { try await self.work(settings) }
            defer {
                group.cancelAll()
                mailbox.close()
            }
            // The reader ends first where the client closes: the worker then finishes what is there. The watch ends only by
            // an error, or with the others.
            _ = try await group.next()
            if mailbox.isDraining { _ = try await group.next() }
        }
    }

    // MARK: Reading

    private func read() async throws {
        defer { mailbox.close() }
        var (begin, count, bytes) = (ContinuousClock.now, 0, 0)
        for try await message in socket.messages {
            signs.withLock { $0.heard = .now }
            switch message {
            case .binary(let frame):
                bytes += frame.count
                services.metrics.live.count(.received)
                if mailbox.offer(frame: frame) { services.metrics.live.count(.dropped) }
            case .text(let text):
                bytes += text.utf8.count
                try await take(text)
            }
            count += 1
            let now = ContinuousClock.now
            if now - begin >= Flood.window {
                (begin, count, bytes) = (now, 0, 0)
            } else if count >= Flood.messages || bytes >= Flood.bytes {
                try await Task.sleep(until: begin + Flood.window, clock: .continuous)
                (begin, count, bytes) = (.now, 0, 0)
            }
        }
    }

    private func take(_ text: String) async throws {
        do {
            let command = try LiveCommand(text)
            if case .frame(let milliseconds) = command {
                guard mailbox.announce(milliseconds) else { throw Self.clockStepped(to: milliseconds) }
                return
            }
            guard mailbox.offer(command: command) else {
                throw Problem(
                    ProblemDetails(
                        .tooManyRequests, detail: "Too many messages wait already; this one was not taken."))
            }
        } catch let error as any ProblemConvertible {
            try await send(error.problem)
        }
    }

    /// Gives up a client that says nothing or takes nothing.
    private func watch() async throws {
        let idle = services.limits.idle
        while true {
            try await Task.sleep(for: min(idle / 4, .seconds(1)))
            let signs = signs.withLock { $0 }
            if let since = signs.sendingSince, ContinuousClock.now - since > Self.patience { throw ConnectionLost() }
            guard ContinuousClock.now - signs.heard > idle else { continue }
            try await send(
                ProblemDetails(
                    type: "/problems/timed-out", title: "Timed out", status: .requestTimeout,
                    detail: "Nothing came for \(Int(idle / .seconds(1))) s."))
            return
        }
    }

    private static func clockStepped(to milliseconds: Double) -> Problem {
        Problem(
            ProblemDetails(
                type: "/problems/clock-step", title: "Clock step", status: .badRequest,
                detail: "The “at_ms” \(milliseconds) is before that of the last frame, or more than "
                    + "\(Int(LiveClock.maximumLead / 1000)) s ahead of the time that has passed. "
                    + "The frame counts from its arrival, and the next ones from there."))
    }

    // MARK: Working

    private func work(_ settings: LiveSettings) async throws {
        try await withThrowingDiscardingTaskGroup { looks in
            try await work(settings) { frame in
                looks.addTask { await self.see(frame) }
            }
        }
    }

    private func see(_ frame: LiveFrame) async {
        do {
            mailbox.saw(.success(try await analyser.see(.file(frame.bytes))), in: frame)
        } catch {
            mailbox.saw(.failure(error), in: frame)
        }
    }

    /// - Parameter begin: has the models look at a frame, and returns at once.
    private func work(_ settings: LiveSettings, begin: (LiveFrame) -> Void) async throws {
        var settings = settings
        var last: LiveFrame?
        var shown: [String: String] = [:]
        let laps = try await attach(settings.laps, replacing: nil)
        var feed = laps
        defer { feed?.detach() }
        while let work = await mailbox.next() {
            do {
                switch work {
                case .frame(let frame): begin(frame)
                case .seen(let frame, let seen):
                    try await answer(frame, try seen.get(), settings, feed, &shown)
                    last = frame
                case .command(.settings(let changes)):
                    let changed = try await services.completed(try settings.changed(by: changes))
                    try await analyser.apply(changed.analyser)
                    if changed.laps != settings.laps { feed = try await attach(changed.laps, replacing: feed) }
                    settings = changed
                case .command(.tap(let tap)):
                    shown[tap.id] = nil
                    await analyser.follow(tap)
                    // Where no newer frame is on its way, the one that the user saw is looked at once more.
                    if let last, !mailbox.hasFrame { try await lookAgain(at: last, settings, &shown) }
                case .command(.untap(let id)):
                    shown[id] = nil
                    guard await analyser.forget(tap: id) else { throw Problem(.notFound("tap", id: id)) }
                case .command(.keep(let note)):
                    try await keep(last, note, settings)
                // The reader takes note of it at once, so that it stays with its frame.
                case .command(.frame): break
                }
            } catch let error as any ProblemConvertible {
                if case .seen = work { services.metrics.live.count(.failed) }
                try await send(error.problem)
            } catch  where !(error is ConnectionLost || error is CancellationError || error is WebSocketError) {
                // Nobody waits for an answer that cannot come; the log has what went wrong, and the stream is closed.
                try await send(
                    ProblemDetails(
                        .internalServerError, detail: "This could not be worked on, and the stream is closed."))
                throw error
            }
        }
    }

    private func answer(
        _ frame: LiveFrame, _ sight: FrameSight, _ settings: LiveSettings, _ feed: LapFeed?,
        _ shown: inout [String: String]
    ) async throws {
        let answer = try await analyser.look(
            at: sight, of: .file(frame.bytes), atMilliseconds: frame.atMilliseconds)
        let names = BothNames(encyclopaedia: services.encyclopaedia)
        try await send(
            LiveAnswer(answer, of: frame, dropped: mailbox.dropped, settings: settings, names: names))
        services.metrics.live.count(.answered)
        services.metrics.live.latency.observe((ContinuousClock.now - frame.arrival).seconds)
        try await sendLabels(answer, settings, &shown)
        guard let feed else { return }
        let lapFrame = LapFeed.Frame(
            bytes: frame.bytes, atMilliseconds: frame.atMilliseconds, arrival: frame.arrival)
        for message in try await feed.observe(answer, lapFrame, names: names[settings.language]) {
            try await send(message)
        }
    }

    private func lookAgain(
        at frame: LiveFrame, _ settings: LiveSettings, _ shown: inout [String: String]
    ) async throws {
        let answer = try await analyser.look(at: .file(frame.bytes), atMilliseconds: frame.atMilliseconds)
        try await sendLabels(answer, settings, &shown)
    }

    /// A label is sent when it is new and whenever it changes; where it is now stands in every answer.
    private func sendLabels(
        _ answer: FrameAnswer, _ settings: LiveSettings, _ shown: inout [String: String]
    ) async throws {
        for tap in answer.taps {
            guard let name = tap.name else { continue }
            let text = "\(name.label) \(tap.track ?? 0) \(settings.language)"
            guard shown.updateValue(text, forKey: tap.id) != text else { continue }
            try await send(
                LiveLabel(
                    tap, names: BothNames(encyclopaedia: services.encyclopaedia), language: settings.language))
        }
    }

    /// Saves the frame of the last answer as a scan.
    private func keep(_ frame: LiveFrame?, _ note: String?, _ settings: LiveSettings) async throws {
        guard let frame else {
            throw Problem(
                ProblemDetails(.conflict, detail: "No frame was answered yet, so that there is nothing to keep."))
        }
        if let note, note.count > ScanUpdate.maximumNoteLength || note.utf8.contains(0) {
            throw HistoryError.invalid(
                field: "note",
                problem: "a note has at most \(ScanUpdate.maximumNoteLength) characters, none of them NUL")
        }
        let options = ClassificationOptions(
            crop: settings.analyser.crop, head: settings.analyser.head,
            requiredHeads: settings.analyser.requiredHeads,
            copy: .init(keepsMetadata: services.keepsMetadata))
        let models = try await services.recogniser.frameModels(settings.analyser.model, detects: false)
        let classification = try await services.recogniser.classify(
            frame.bytes, model: models.classifier.description, options: options)
        let scan = NewScan(
            classification, top: settings.top, heads: settings.heads, language: settings.language)
        let saved = try await services.history.record(scan, photo: classification.storedCopy).scan
        if let note, !note.isEmpty {
            _ = try await services.history.scans.update(id: saved.id, ScanUpdate(note: .set(note)))
        }
        services.metrics.scansSaved.increment()
        try await send(LiveKept(id: saved.id.description, url: "/history/\(saved.id)", frame: frame.number))
    }

    /// The timer that the frames go to from now on.
    private func attach(_ id: String?, replacing feed: LapFeed?) async throws -> LapFeed? {
        guard let id else {
            feed?.detach()
            return nil
        }
        let next = try await services.laps.attach(id)
        feed?.detach()
        return next
    }

    // MARK: Sending

    private func send(_ message: some Encodable) async throws {
        try await send(text: String(decoding: try JSON.encode(message), as: UTF8.self))
    }

    /// `{"type":"problem", …}`; the problem's own type is its `problem`.
    private func send(_ problem: ProblemDetails) async throws {
        try await send(text: String(decoding: LiveProblem.json(problem), as: UTF8.self))
    }

    private func send(text: String) async throws {
        signs.withLock { $0.sendingSince = .now }
        try await socket.send(text)
        signs.withLock { $0.sendingSince = nil }
    }
}

/// A frame that was saved.
struct LiveKept: Encodable {
    let type = "kept"
    let id: String
    let url: String
    let frame: Int
}

/// A problem as a message of a stream: the members of problem+json, but that `type` says what kind of message it is, as in
/// all of them, and `problem` which problem.
enum LiveProblem {
    static func json(_ problem: ProblemDetails) -> [UInt8] {
        var members = problem.extensions
        members["type"] = "problem"
        members["problem"] = .string(problem.type)
        members["title"] = .string(problem.title)
        members["status"] = .integer(problem.status.code)
        if let detail = problem.detail { members["detail"] = .string(detail) }
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return bytes
    }
}
