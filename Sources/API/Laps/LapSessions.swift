import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Recognition
import Streams

/// The lap timers of the service. Each takes frames from one stream at a time; what they have timed is in the store before
/// it is told.
final class LapSessions: Sendable {
    /// Sessions that are kept.
    static let maximumCount = 1_000
    /// Why there is no place for another one.
    static let full = "There are \(maximumCount) lap timers already; delete some of them."

    /// What is told of a session.
    struct Snapshot: Sendable {
        let id: ULID
        let document: LapDocument
        let state: LapState
        let label: String?
        let candidates: [LapCandidate]
        let counting: LapCounting?
        /// What was pointed at; nil where nothing was.
        let pointed: ThingLook?
        let isFed: Bool
    }

    struct Session {
        var document: LapDocument
        var timer: LapTimer
        let channel = EventChannel()
        /// Names the stream whose frames it takes.
        var feed: Int?
        var lastFrame: LapFeed.LastFrame?
        /// What is timed by its look. It lives as long as this process does.
        var pointed: ThingLook?
        /// Whether the store has it, or had it before another replica deleted it.
        var isStored = false

        /// One with what it has timed before.
        init(_ document: LapDocument, isStored: Bool = false) {
            self.document = document
            self.isStored = isStored
            timer = LapTimer(document)
        }

        /// Goes over to what another replica has kept of it.
        mutating func take(_ document: LapDocument) {
            self.document = document
            timer = LapTimer(document)
        }
    }

    struct State {
        var sessions: [ULID: Session] = [:]
        var isLoaded = false
        var lastFeed = 0

        /// - Returns: false where there are too many already.
        mutating func add(_ session: Session, as id: ULID) -> Bool {
            guard sessions[id] != nil || sessions.count < LapSessions.maximumCount else { return false }
            sessions[id] = session
            return true
        }
    }

    let history: HistoryStore
    let recogniser: Recogniser
    let state = Locked(State())

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

    /// A timer that waits for a stream.
    ///
    /// - Throws: ``Problem`` (409) where there are too many.
    func create(_ configuration: LapConfiguration, model: String?) async throws -> Snapshot {
        try await load()
        let id = ULID.next()
        let document = LapDocument(
            createdAt: Date(), configuration: configuration, model: model, video: nil, laps: [], photos: [],
            lastNumber: 0)
        let session = Session(document)
        guard try await add(session, as: id) else { throw Problem(ProblemDetails(.conflict, detail: Self.full)) }
        return Self.snapshot(id, session)
    }

    /// Keeps what was timed in a video; kept once more, it takes the place of what was kept before.
    ///
    /// - Parameter photos: JPEG files by the number of their lap.
    /// - Returns: false where there are too many timers already; nothing is kept then.
    func keep(_ document: LapDocument, as id: ULID, photos: [Int: [UInt8]]) async throws -> Bool {
        try await load()
        guard try await add(Session(document), as: id) else { return false }
        for (number, photo) in photos { try await history.scans.saveLapPhoto(photo, session: id, lap: number) }
        return true
    }

    /// Takes a session in and saves it.
    ///
    /// - Returns: false where there are too many already.
    private func add(_ session: Session, as id: ULID) async throws -> Bool {
        guard state.withLock({ $0.add(session, as: id) }) else { return false }
        do {
            try await history.scans.saveLaps(LapRecord(id: id, document: try Self.text(session.document)))
        } catch {
            state.withLock { state in _ = state.sessions.removeValue(forKey: id) }
            throw error
        }
        state.withLock { $0.sessions[id]?.isStored = true }
        return true
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
    ///
    /// - Parameter label: which of those in sight a start is to time; nil: the surest.
    func set(_ wanted: LapState, label: String?, of id: ULID) async throws -> Snapshot {
        try await load()
        let (snapshot, channel, events) = try change(id) { session throws(LapError) in
            wanted == .start ? try session.timer.start(label) : session.timer.warmUp()
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

    /// Moves the finishing line of a timer that is warming up.
    func move(line: LapConfiguration.Line?, of id: ULID) async throws -> Snapshot {
        try await load()
        let (snapshot, _, _) = try change(id) { session throws(LapError) in
            try session.timer.move(line: line)
            session.document.configuration = session.timer.configuration
            return []
        }
        try await history.scans.saveLaps(LapRecord(id: id, document: try Self.text(snapshot.document)))
        return snapshot
    }

    func photo(_ id: ULID, lap number: Int) async throws -> [UInt8] {
        try await load()
        guard try session(id).document.photos.contains(number),
            let photo = try await history.scans.lapPhoto(session: id, lap: number)
        else { throw Problem(.notFound("picture of lap", id: "\(number)")) }
        return photo
    }

    // MARK: Parts

    /// Reads what the store has: once, or, where replicas share it, whenever that is asked for. A timer that a stream feeds
    /// is this replica's own meanwhile.
    func load() async throws {
        let isShared = history.replica != nil
        if !isShared, state.withLock({ $0.isLoaded }) { return }
        let before = state.withLock { $0.sessions.filter(\.value.isStored) }
        var stored: [ULID: LapDocument] = [:]
        for record in try await history.scans.laps() {
            stored[record.id] = LapDocument(record)
        }
        state.withLock { state in
            guard isShared || !state.isLoaded else { return }
            state.isLoaded = true
            for (id, document) in stored {
                guard let session = state.sessions[id] else {
                    // One that was deleted here meanwhile stays so.
                    if before[id] == nil { state.sessions[id] = Session(document, isStored: true) }
                    continue
                }
                // What has changed here meanwhile is newer than what was read.
                guard session.feed == nil, session.document != document, session.document == before[id]?.document else {
                    continue
                }
                state.sessions[id]?.take(document)
            }
            for id in before.keys where stored[id] == nil && state.sessions[id]?.feed == nil {
                state.sessions.removeValue(forKey: id)?.channel.finish()
            }
        }
    }

    func session(_ id: ULID) throws -> Session {
        guard let session = state.withLock({ $0.sessions[id] }) else {
            throw Problem(.notFound("lap timer", id: "\(id)"))
        }
        return session
    }

    func change(
        _ id: ULID, _ body: (inout Session) throws(LapError) -> [LapEvent]
    ) throws -> (snapshot: Snapshot, channel: EventChannel, events: [LapEvent]) {
        try state.withLock { state in
            guard var session = state.sessions[id] else { throw Problem(.notFound("lap timer", id: "\(id)")) }
            let events = try body(&session)
            state.sessions[id] = session
            return (Self.snapshot(id, session), session.channel, events)
        }
    }

    func publish(_ events: [LapEvent], of id: ULID, on channel: EventChannel) {
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
            label: session.timer.label ?? session.document.configuration.label ?? session.pointed?.label,
            candidates: session.timer.candidates, counting: session.timer.counting ?? session.document.counting,
            pointed: session.pointed, isFed: session.feed != nil)
    }

    static func id(_ text: String) throws -> ULID {
        guard let id = ULID(text) else { throw Problem(.notFound("lap timer", id: text)) }
        return id
    }

    static func taken(_ id: ULID) -> Problem {
        Problem(
            ProblemDetails(
                .conflict, detail: "The lap timer “\(id)” takes the frames of another stream; close that one first."))
    }

    static func text(_ document: LapDocument) throws -> String {
        String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
    }
}

extension LapTimer {
    /// One that goes on after what was timed before.
    fileprivate init(_ document: LapDocument) {
        self.init(configuration: document.configuration, laps: document.laps, lastNumber: document.lastNumber)
    }
}
