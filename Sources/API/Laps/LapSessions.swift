import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Live
import Recognition

/// The lap timers of the service. Each takes frames from one stream at a time; what they have timed is in the store before
/// it is told.
final class LapSessions: Sendable {
    /// Sessions that are kept.
    static let maximumCount = 1_000

    /// What is told of a session.
    struct Snapshot: Sendable {
        let id: ULID
        let document: LapDocument
        let state: LapState
        let label: String?
        let candidates: [LapCandidate]
        let isFed: Bool
    }

    private struct Session {
        var document: LapDocument
        var timer: LapTimer
        let channel = EventChannel()
        /// Names the stream whose frames it takes.
        var feed: Int?
        /// When its last frame came, and what its clock said then.
        var lastFrame: (instant: ContinuousClock.Instant, milliseconds: Double)?
    }

    private struct State {
        var sessions: [ULID: Session] = [:]
        var isLoaded = false
        var lastFeed = 0
    }

    private let history: HistoryStore
    private let recogniser: Recogniser
    private let state = Locked(State())

    init(history: HistoryStore, recogniser: Recogniser) {
        self.history = history
        self.recogniser = recogniser
    }

    // MARK: Sessions

    /// Newest first.
    func list() async throws -> [Snapshot] {
        try await load()
        return state.withLock { state in
            state.sessions.sorted { $0.key > $1.key }.map { Self.snapshot($0.key, $0.value) }
        }
    }

    func snapshot(_ id: ULID) async throws -> Snapshot {
        try await load()
        return Self.snapshot(id, try session(id))
    }

    func channel(_ id: ULID) async throws -> EventChannel {
        try await load()
        return try session(id).channel
    }

    /// - Parameters:
    ///   - video: of which the frames will be; its timer is started at once.
    func create(
        _ configuration: LapConfiguration, model: String?, video: String? = nil
    ) async throws -> Snapshot {
        try await load()
        let id = ULID.next()
        let document = LapDocument(
            createdAt: Date(), configuration: configuration, model: model, video: video, laps: [], photos: [],
            lastNumber: 0)
        var timer = LapTimer(configuration: configuration)
        if video != nil, configuration.label != nil { _ = try? timer.start() }
        let session = Session(document: document, timer: timer)
        let isTaken = state.withLock { state in
            guard state.sessions.count < Self.maximumCount else { return false }
            state.sessions[id] = session
            return true
        }
        guard isTaken else {
            throw Problem(
                ProblemDetails(
                    .conflict, detail: "There are \(Self.maximumCount) lap timers already; delete some of them."))
        }
        do {
            try await history.scans.saveLaps(LapRecord(id: id, document: try Self.text(document)))
        } catch {
            state.withLock { state in _ = state.sessions.removeValue(forKey: id) }
            throw error
        }
        return Self.snapshot(id, session)
    }

    func delete(_ id: ULID) async throws {
        try await load()
        let channel = try session(id).channel
        try await history.scans.deleteLaps(id: id)
        state.withLock { state in _ = state.sessions.removeValue(forKey: id) }
        channel.publish(#"{"id":"\#(id)"}"#, event: "deleted")
        channel.finish()
    }

    /// Starts or stops a timer by hand.
    func set(_ wanted: LapState, of id: ULID) async throws -> Snapshot {
        try await load()
        let (snapshot, channel, events) = try change(id) { session throws(LapError) in
            wanted == .start ? try session.timer.start() : session.timer.warmUp()
        }
        publish(events, of: id, on: channel)
        return snapshot
    }

    /// Takes a lap back.
    func undo(lap number: Int, of id: ULID) async throws {
        try await load()
        let (snapshot, channel, _) = try change(id) { session throws(LapError) in
            try session.timer.undo(lap: number)
            session.document.laps = session.timer.laps
            session.document.photos.remove(number)
            return []
        }
        try await history.scans.saveLaps(LapRecord(id: id, document: try Self.text(snapshot.document)))
        try await history.scans.deleteLapPhoto(session: id, lap: number)
        channel.publish(#"{"id":"\#(id)","number":\#(number)}"#, event: "undone")
    }

    func photo(_ id: ULID, lap number: Int) async throws -> [UInt8] {
        try await load()
        guard try session(id).document.photos.contains(number),
            let photo = try await history.scans.lapPhoto(session: id, lap: number)
        else { throw Problem(.notFound("picture of lap", id: "\(number)")) }
        return photo
    }

    // MARK: Streams

    /// Whether a stream may feed a timer.
    ///
    /// - Throws: ``Problem`` where there is none of that id (404), or another stream feeds it (409).
    func check(_ text: String) async throws {
        try await load()
        let id = try Self.id(text)
        guard try session(id).feed == nil else { throw Self.taken(id) }
    }

    /// Has a stream feed a timer until it is detached. A timer that runs goes on from stream to stream; the time between
    /// them counts.
    func attach(_ text: String) async throws -> LapFeed {
        try await load()
        let id = try Self.id(text)
        let feed = try state.withLock { state -> (Int, Double) in
            guard var session = state.sessions[id] else { throw Problem(.notFound("lap timer", id: text)) }
            guard session.feed == nil else { throw Self.taken(id) }
            state.lastFeed += 1
            session.feed = state.lastFeed
            session.timer.beginStream()
            let offset = session.lastFrame.map { last in
                last.milliseconds + (ContinuousClock.now - last.instant) / .milliseconds(1)
            }
            state.sessions[id] = session
            return (state.lastFeed, offset ?? 0)
        }
        return LapFeed(id: id, number: feed.0, offset: feed.1, sessions: self)
    }

    func detach(_ feed: LapFeed) {
        state.withLock { state in
            if state.sessions[feed.id]?.feed == feed.number { state.sessions[feed.id]?.feed = nil }
        }
    }

    /// Takes what a frame shows.
    ///
    /// - Parameter photo: the picture nearest to a moment, in milliseconds of the session.
    /// - Returns: the laps that closed, with whether they have a picture, and the state where it has changed.
    func observe(
        _ answer: FrameAnswer, atMilliseconds now: Double, from feed: LapFeed, photo: (Double) -> [UInt8]?
    ) async throws -> (laps: [(lap: Lap, hasPhoto: Bool)], state: LapState?) {
        let (_, channel, events) = try change(feed.id) { session throws(LapError) in
            guard session.feed == feed.number else { return [] }
            session.lastFrame = (.now, now)
            let events = session.timer.observe(answer, atMilliseconds: now)
            session.document.laps = session.timer.laps
            session.document.lastNumber = max(session.document.lastNumber, session.timer.laps.last?.number ?? 0)
            return events
        }
        guard !events.isEmpty else { return ([], nil) }
        var laps: [(lap: Lap, hasPhoto: Bool)] = []
        for case .lap(let lap) in events {
            let picture = photo(lap.endedMilliseconds)
            laps.append((lap, await keep(picture, of: lap, in: feed.id)))
        }
        if !laps.isEmpty {
            let document = try session(feed.id).document
            try await history.scans.saveLaps(LapRecord(id: feed.id, document: try Self.text(document)))
        }
        publish(events, of: feed.id, on: channel)
        let states = events.compactMap { if case .state(let state) = $0 { state } else { nil } }
        return (laps, states.last)
    }

    /// A lap without its picture is better than none.
    private func keep(_ picture: [UInt8]?, of lap: Lap, in id: ULID) async -> Bool {
        guard let picture, let copy = try? await recogniser.storedCopy(of: picture) else { return false }
        do {
            try await history.scans.saveLapPhoto(copy, session: id, lap: lap.number)
        } catch {
            return false
        }
        state.withLock { state in _ = state.sessions[id]?.document.photos.insert(lap.number) }
        return true
    }

    // MARK: Parts

    private func load() async throws {
        if state.withLock({ $0.isLoaded }) { return }
        let records = try await history.scans.laps()
        let decoder = JSONDecoder()
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            for record in records where state.sessions[record.id] == nil {
                guard let document = try? decoder.decode(LapDocument.self, from: Data(record.document.utf8)) else {
                    continue
                }
                let timer = LapTimer(
                    configuration: document.configuration, laps: document.laps, lastNumber: document.lastNumber)
                state.sessions[record.id] = Session(document: document, timer: timer)
            }
        }
    }

    private func session(_ id: ULID) throws -> Session {
        guard let session = state.withLock({ $0.sessions[id] }) else {
            throw Problem(.notFound("lap timer", id: "\(id)"))
        }
        return session
    }

    private func change(
        _ id: ULID, _ body: (inout Session) throws(LapError) -> [LapEvent]
    ) throws -> (snapshot: Snapshot, channel: EventChannel, events: [LapEvent]) {
        try state.withLock { state in
            guard var session = state.sessions[id] else { throw Problem(.notFound("lap timer", id: "\(id)")) }
            let events = try body(&session)
            state.sessions[id] = session
            return (Self.snapshot(id, session), session.channel, events)
        }
    }

    private func publish(_ events: [LapEvent], of id: ULID, on channel: EventChannel) {
        for event in events {
            let (name, data): (String, [UInt8]?) =
                switch event {
                case .state(let state): ("state", Array(#"{"state":"\#(state.rawValue)"}"#.utf8))
                case .started(let runner, let label, let time):
                    ("started", try? JSON.encode(LapStarted(runner: runner, label: label, atMs: time.rounded())))
                case .lap(let lap):
                    ("lap", try? JSON.encode(LapRepresentation(lap, session: id, name: nil, hasPhoto: false)))
                }
            if let data { channel.publish(String(decoding: data, as: UTF8.self), event: name) }
        }
    }

    private static func snapshot(_ id: ULID, _ session: Session) -> Snapshot {
        Snapshot(
            id: id, document: session.document, state: session.timer.state,
            label: session.timer.label ?? session.document.configuration.label,
            candidates: session.timer.candidates, isFed: session.feed != nil)
    }

    static func id(_ text: String) throws -> ULID {
        guard let id = ULID(text) else { throw Problem(.notFound("lap timer", id: text)) }
        return id
    }

    private static func taken(_ id: ULID) -> Problem {
        Problem(
            ProblemDetails(
                .conflict, detail: "The lap timer “\(id)” takes the frames of another stream; close that one first."))
    }

    private static func text(_ document: LapDocument) throws -> String {
        String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
    }
}
