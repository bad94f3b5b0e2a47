import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Logging
import Recognition
import Streams

/// The lap timers of the service. Each takes frames from one stream at a time. Laps are in the store before anyone
/// hears of them.
final class LapSessions: Sendable {
    static let maximumCount = 1_000
    /// The message when there is no room for another timer.
    static let full = "There are \(maximumCount) lap timers already; delete some of them."

    /// The public state of a session.
    struct Snapshot: Sendable {
        let id: ULID
        let document: LapDocument
        let state: LapState
        let label: String?
        let candidates: [LapCandidate]
        let counting: LapCounting?
        /// The thing that somebody pointed at, if any.
        let pointed: ThingAppearance?
        let isFed: Bool
    }

    struct Session {
        var document: LapDocument
        var timer: LapTimer
        let channel = EventChannel()
        /// The number of the stream that feeds the timer.
        var feed: Int?
        var lastFrame: LapFeed.LastFrame?
        /// The thing that is timed by its appearance. It is not stored.
        var pointed: ThingAppearance?
        /// Whether the store has the session, or had it before another replica deleted it.
        var isStored = false

        init(_ document: LapDocument, isStored: Bool = false) {
            self.document = document
            self.isStored = isStored
            timer = LapTimer(document)
        }

        /// Replaces the session by another replica's version.
        mutating func take(_ document: LapDocument) {
            self.document = document
            timer = LapTimer(document)
        }
    }

    struct State {
        var sessions: [ULID: Session] = [:]
        var isLoaded = false
        var lastFeed = 0
        /// The rows that were reported as unreadable.
        var unreadable: Set<ULID> = []

        /// - Returns: false if there are too many sessions already.
        mutating func add(_ session: Session, as id: ULID) -> Bool {
            guard sessions[id] != nil || sessions.count < LapSessions.maximumCount else { return false }
            sessions[id] = session
            return true
        }
    }

    let history: HistoryStore
    let recogniser: Recogniser
    let state = Locked(State())
    let logger = Logger(label: "menagerie.laps")

    init(history: HistoryStore, recogniser: Recogniser) {
        self.history = history
        self.recogniser = recogniser
    }

    // MARK: Sessions

    /// The sessions, newest first.
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

    /// Makes a timer that waits for a stream.
    ///
    /// - Throws: `ProblemDetails` (409) if there are too many.
    func create(_ configuration: LapConfiguration, model: String?) async throws -> Snapshot {
        try await load()
        let id = ULID.next()
        let document = LapDocument(
            createdAt: Date(), configuration: configuration, model: model, video: nil, laps: [], photos: [],
            lastNumber: 0)
        let session = Session(document)
        guard try await add(session, as: id) else { throw ProblemDetails(.conflict, detail: Self.full) }
        return Self.snapshot(id, session)
    }

    /// Saves the laps of a video. Saving again replaces the earlier laps.
    ///
    /// - Parameter photos: JPEG files by the number of their lap.
    /// - Returns: false if there are too many timers already. Nothing is saved then.
    func keep(_ document: LapDocument, as id: ULID, photos: [Int: [UInt8]]) async throws -> Bool {
        try await load()
        guard try await add(Session(document), as: id) else { return false }
        for (number, photo) in photos { try await history.scans.saveLapPhoto(photo, session: id, lap: number) }
        return true
    }

    /// Adds a session and saves it.
    ///
    /// - Returns: false if there are too many already.
    private func add(_ session: Session, as id: ULID) async throws -> Bool {
        guard state.withLock({ $0.add(session, as: id) }) else { return false }
        do {
            try await save(session.document, as: id)
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
    /// - Parameter label: the visible label that a start times; nil chooses the one with the highest confidence.
    func set(_ wanted: LapState, label: String?, of id: ULID) async throws -> Snapshot {
        try await load()
        let (snapshot, channel, events) = try change(id) { session throws(LapError) in
            wanted == .start ? try session.timer.start(label) : session.timer.warmUp()
        }
        publish(events, of: id, on: channel)
        return snapshot
    }

    /// Deletes a lap.
    func undo(lap number: Int, of id: ULID) async throws {
        try await load()
        let (snapshot, channel, _) = try change(id) { session throws(LapError) in
            try session.timer.undo(lap: number)
            session.document.laps = session.timer.laps
            session.document.photos.remove(number)
            return []
        }
        try await save(snapshot.document, as: id)
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
        try await save(snapshot.document, as: id)
        return snapshot
    }

    func photo(_ id: ULID, lap number: Int) async throws -> [UInt8] {
        try await load()
        guard try session(id).document.photos.contains(number),
            let photo = try await history.scans.lapPhoto(session: id, lap: number)
        else { throw ProblemDetails.notFound("picture of lap", id: "\(number)") }
        return photo
    }

    // MARK: Parts

    /// Reads the stored sessions: once, or at every call if replicas share the store. A timer that a stream feeds here
    /// is not replaced.
    func load() async throws {
        let isShared = history.replica != nil
        if !isShared, state.withLock({ $0.isLoaded }) { return }
        let before = state.withLock { $0.sessions.filter(\.value.isStored) }
        var stored: [ULID: LapDocument] = [:]
        for record in try await history.scans.laps() {
            if let document = LapDocument(record) {
                stored[record.id] = document
            } else if state.withLock({ $0.unreadable.insert(record.id).inserted }) {
                logger.error("A stored lap timer cannot be read", metadata: ["id": "\(record.id)"])
            }
        }
        state.withLock { state in
            guard isShared || !state.isLoaded else { return }
            state.isLoaded = true
            for (id, document) in stored {
                guard let session = state.sessions[id] else {
                    // A session that was deleted here in the meantime stays deleted.
                    if before[id] == nil { state.sessions[id] = Session(document, isStored: true) }
                    continue
                }
                // A change made here in the meantime is newer than the row that was read.
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
            throw ProblemDetails.notFound("lap timer", id: "\(id)")
        }
        return session
    }

    func change(
        _ id: ULID, _ body: (inout Session) throws(LapError) -> [LapEvent]
    ) throws -> (snapshot: Snapshot, channel: EventChannel, events: [LapEvent]) {
        try state.withLock { state in
            guard var session = state.sessions[id] else { throw ProblemDetails.notFound("lap timer", id: "\(id)") }
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
        guard let id = ULID(text) else { throw ProblemDetails.notFound("lap timer", id: text) }
        return id
    }

    static func taken(_ id: ULID) -> ProblemDetails {
        ProblemDetails(
            .conflict, detail: "The lap timer “\(id)” takes the frames of another stream; close that one first.")
    }

    func save(_ document: LapDocument, as id: ULID) async throws {
        let text = String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
        try await history.scans.saveLaps(LapRecord(id: id, document: text))
    }
}

extension LapTimer {
    /// A timer that continues after earlier laps.
    fileprivate init(_ document: LapDocument) {
        self.init(configuration: document.configuration, laps: document.laps, lastNumber: document.lastNumber)
    }
}
