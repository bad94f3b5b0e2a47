package import Base
import Foundation
import Imaging
import Logging
package import Recognition
package import Storage

/// The lap timers of the service. Each takes frames from one stream at a time. Laps are in the store before anyone
/// hears of them.
package final class LapSessions: Sendable {
    static let maximumCount = 1_000
    /// The message when there is no room for another timer.
    package static let full = "There are \(maximumCount) lap timers already; delete some of them."

    /// The public state of a session.
    package struct Snapshot: Sendable {
        package let id: ULID
        package let document: LapDocument
        package let state: LapState
        package let label: String?
        package let candidates: [LapCandidate]
        package let counting: LapCounting?
        /// The thing that somebody pointed at, if any.
        package let pointed: ThingAppearance?
        package let isFed: Bool
    }

    /// A change of a timer that its readers learn of.
    package enum Change: Sendable {
        case event(LapEvent)
        /// The lap of that number was deleted.
        case undone(Int)
        case deleted
        /// Another process deleted the timer.
        case gone
    }

    struct Session {
        var document: LapDocument
        var timer: LapTimer
        /// The stream that feeds the timer, and its number.
        var feed: (number: Int, feeder: Feeder)?
        var lastFrame: LapFeed.LastFrame?
        /// The thing that is timed by its appearance. It is not stored.
        var pointed: ThingAppearance?
        /// Whether the store has the session, or had it before another process deleted it.
        var isStored = false
        /// How many changes wait for a store that is away.
        var unsaved = 0

        init(_ document: LapDocument, isStored: Bool = false) {
            self.document = document
            self.isStored = isStored
            timer = LapTimer(document)
        }

        /// Replaces the session by another process's version.
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
    let changed: @Sendable (ULID, Change) -> Void
    let state = Locked(State())
    let logger = Logger(label: "menagerie.laps")

    /// - Parameter changed: learns of every change, after it is in the store.
    package init(history: HistoryStore, recogniser: Recogniser, changed: @escaping @Sendable (ULID, Change) -> Void) {
        self.history = history
        self.recogniser = recogniser
        self.changed = changed
    }

    // MARK: Sessions

    /// The sessions, newest first.
    package func list() async throws -> [Snapshot] {
        try await load()
        return state.withLock { state in
            state.sessions.sorted { $0.key > $1.key }.map { Self.snapshot($0.key, $0.value) }
        }
    }

    package func snapshot(_ id: ULID) async throws -> Snapshot {
        try await load()
        return Self.snapshot(id, try session(id))
    }

    package func holds(_ id: ULID) -> Bool { state.withLock { $0.sessions[id] != nil } }

    /// Makes a timer that waits for a stream.
    ///
    /// - Throws: `LapError/tooMany`.
    package func create(_ configuration: LapConfiguration, model: String?) async throws -> Snapshot {
        try await load()
        let id = ULID.next()
        let document = LapDocument(
            createdAt: Date(), configuration: configuration, model: model, video: nil, laps: [], photos: [],
            lastNumber: 0)
        let session = Session(document)
        guard try await add(session, as: id) else { throw LapError.tooMany }
        return Self.snapshot(id, session)
    }

    /// Saves the laps of a video. Saving again replaces the earlier laps.
    ///
    /// - Parameter photos: JPEG files by the number of their lap.
    /// - Returns: false if there are too many timers already. Nothing is saved then.
    package func keep(_ document: LapDocument, as id: ULID, photos: [Int: [UInt8]]) async throws -> Bool {
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
            try await history.scans.saveLaps(try session.document.record(id))
        } catch {
            state.withLock { $0.sessions[id] = nil }
            throw error
        }
        state.withLock { $0.sessions[id]?.isStored = true }
        return true
    }

    package func delete(_ id: ULID) async throws {
        try await load()
        _ = try session(id)
        try await history.scans.deleteLaps(id: id)
        state.withLock { $0.sessions[id] = nil }
        changed(id, .deleted)
    }

    /// Starts or stops a timer by hand.
    ///
    /// - Parameter label: the visible label that a start times; nil chooses the one with the highest confidence.
    package func set(_ wanted: LapState, label: String?, of id: ULID) async throws -> Snapshot {
        try await load()
        let (snapshot, events) = try change(id) { session throws(LapError) in
            wanted == .start ? try session.timer.start(label) : session.timer.warmUp()
        }
        for event in events { changed(id, .event(event)) }
        return snapshot
    }

    /// Deletes a lap.
    package func undo(lap number: Int, of id: ULID) async throws {
        _ = try await changeStored(id) { session throws(LapError) in
            try session.timer.undo(lap: number)
            session.document.laps = session.timer.laps
            session.document.photos.remove(number)
            return []
        }
        try await history.scans.deleteLapPhoto(session: id, lap: number)
        changed(id, .undone(number))
    }

    /// Moves the finishing line of a timer that is warming up.
    package func move(line: LapConfiguration.Line?, of id: ULID) async throws -> Snapshot {
        try await changeStored(id) { session throws(LapError) in
            try session.timer.move(line: line)
            session.document.configuration = session.timer.configuration
            return []
        }
    }

    /// Changes a timer in the store first. A change that the store refuses is not made.
    private func changeStored(
        _ id: ULID, _ body: (inout Session) throws(LapError) -> [LapEvent]
    ) async throws -> Snapshot {
        try await load()
        var session = try session(id)
        _ = try body(&session)
        try await save(session.document, as: id)
        let (snapshot, _) = try change(id, body)
        // A lap that closed in the meantime was saved without this change, or not at all.
        if snapshot.document != session.document { try await save(snapshot.document, as: id) }
        return snapshot
    }

    package func photo(_ id: ULID, lap number: Int) async throws -> [UInt8] {
        try await load()
        guard try session(id).document.photos.contains(number),
            let photo = try await history.scans.lapPhoto(session: id, lap: number)
        else { throw LapError.noPicture(lap: number) }
        return photo
    }

    // MARK: Parts

    /// Reads the stored sessions: once, or at every call if other processes share the store. A timer that a stream
    /// feeds here is not replaced.
    func load() async throws {
        let isShared = history.isShared
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
        let gone = state.withLock { state -> [ULID] in
            guard isShared || !state.isLoaded else { return [] }
            state.isLoaded = true
            for (id, document) in stored {
                guard let session = state.sessions[id] else {
                    // A session that was deleted here in the meantime stays deleted.
                    if before[id] == nil { state.sessions[id] = Session(document, isStored: true) }
                    continue
                }
                // A change made here in the meantime is newer than the row that was read.
                guard session.feed == nil, session.unsaved == 0, session.document != document,
                    session.document == before[id]?.document
                else { continue }
                state.sessions[id]?.take(document)
            }
            return before.keys.filter { id in
                stored[id] == nil && state.sessions[id]?.feed == nil && state.sessions.removeValue(forKey: id) != nil
            }
        }
        for id in gone { changed(id, .gone) }
    }

    func session(_ id: ULID) throws(LapError) -> Session {
        guard let session = state.withLock({ $0.sessions[id] }) else { throw .unknownTimer(id) }
        return session
    }

    func change(
        _ id: ULID, _ body: (inout Session) throws(LapError) -> [LapEvent]
    ) throws -> (snapshot: Snapshot, events: [LapEvent]) {
        try state.withLock { state in
            guard var session = state.sessions[id] else { throw LapError.unknownTimer(id) }
            let events = try body(&session)
            state.sessions[id] = session
            return (Self.snapshot(id, session), events)
        }
    }

    private static func snapshot(_ id: ULID, _ session: Session) -> Snapshot {
        Snapshot(
            id: id, document: session.document, state: session.timer.state,
            label: session.timer.label ?? session.document.configuration.label ?? session.pointed?.label,
            candidates: session.timer.candidates, counting: session.timer.counting ?? session.document.counting,
            pointed: session.pointed, isFed: session.feed != nil)
    }

    /// Saves a change of a timer. One that was deleted meanwhile, here or by another process, stays deleted.
    func save(_ document: LapDocument, as id: ULID) async throws {
        guard try await history.scans.changeLaps(try document.record(id)) else { throw LapError.unknownTimer(id) }
    }
}

extension LapTimer {
    /// A timer that continues after earlier laps.
    fileprivate init(_ document: LapDocument) {
        self.init(configuration: document.configuration, laps: document.laps, lastNumber: document.lastNumber)
    }
}
