package import Base
import Logging
import Recognition
import Storage

/// The streams that feed the timers.
extension LapSessions {
    /// What a timer asks of the stream that feeds it.
    package struct Feeder: Sendable {
        /// The moment of the client's last message.
        let lastMessage: @Sendable () -> ContinuousClock.Instant
        /// Ends the stream, because another one feeds the timer.
        let end: @Sendable () -> Void

        package init(
            lastMessage: @escaping @Sendable () -> ContinuousClock.Instant, end: @escaping @Sendable () -> Void
        ) {
            self.lastMessage = lastMessage
            self.end = end
        }
    }

    /// The longest silence of a stream that keeps its timer. A phone that lost its network comes back on a new
    /// connection long before the old one is known to be dead.
    package static let patience = Duration.seconds(5)

    /// Checks that a stream may feed a timer.
    ///
    /// - Throws: `LapError` if the timer does not exist, or another stream feeds it.
    package func check(_ id: ULID) async throws {
        try await load()
        guard try session(id).isFree else { throw LapError.isFed(id) }
    }

    /// The model for a timer's frames; nil for the default models.
    package func model(_ id: ULID) async throws -> String? {
        try await load()
        return try session(id).document.model
    }

    /// Lets a stream feed a timer until it is detached. A running timer continues from stream to stream, and the time
    /// between them counts. A stream that has been silent for long is ended.
    package func attach(_ id: ULID, _ feeder: Feeder) async throws -> LapFeed {
        try await load()
        let (number, last, silent) = try state.withLock { state -> (Int, LapFeed.LastFrame?, Feeder?) in
            guard var session = state.sessions[id] else { throw LapError.unknownTimer(id) }
            guard session.isFree else { throw LapError.isFed(id) }
            let silent = session.feed?.feeder
            state.lastFeed += 1
            session.feed = (state.lastFeed, feeder)
            session.timer.beginStream()
            state.sessions[id] = session
            return (state.lastFeed, session.lastFrame, silent)
        }
        silent?.end()
        return LapFeed(id: id, number: number, after: last, sessions: self)
    }

    /// Times a thing by its appearance from now on; nil times by the label again.
    ///
    /// - Returns: the thing with the label of its laps.
    /// - Throws: `LapError/alreadyStarted` while a clock runs, and `LapError/unknownTimer(_:)`.
    func point(at thing: ThingAppearance?, from feed: LapFeed) throws -> ThingAppearance? {
        let (snapshot, _) = try change(feed.id) { session throws(LapError) in
            guard session.feed?.number == feed.number else { return [] }
            guard session.timer.state == .warmUp else { throw .alreadyStarted }
            session.pointed = thing?.called(session.document.configuration.label)
            session.timer.choose(session.pointed?.label)
            return []
        }
        return snapshot.pointed
    }

    /// The thing that a stream has to look for; nil if nobody pointed at one.
    func pointed(_ feed: LapFeed) -> ThingAppearance? { state.withLock { $0.sessions[feed.id]?.pointed } }

    func detach(_ feed: LapFeed) {
        state.withLock { state in
            if state.sessions[feed.id]?.feed?.number == feed.number { state.sessions[feed.id]?.feed = nil }
        }
    }

    /// Passes a frame's content to the timer.
    ///
    /// - Parameters:
    ///   - frame: the times of the frame's arrival and of its recording.
    ///   - photo: finds the picture nearest to a moment, in milliseconds of the session.
    /// - Returns: the closed laps, each with whether it has a picture, and the state if it has changed.
    func observe(
        _ answer: FrameAnswer, _ frame: LapFeed.LastFrame, from feed: LapFeed, photo: (Double) -> [UInt8]?
    ) async throws -> (laps: [(lap: Lap, hasPhoto: Bool)], state: LapState?) {
        let (_, events) = try change(feed.id) { session throws(LapError) in
            guard session.feed?.number == feed.number else { return [] }
            session.lastFrame = frame
            let events = session.timer.observe(answer, atMilliseconds: frame.milliseconds)
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
            do {
                try await save(session(feed.id).document, as: feed.id)
            } catch  where !(error is LapError) {
                saveLater(feed.id, events)
                throw error
            }
        }
        for event in events { changed(feed.id, .event(event)) }
        let states = events.compactMap { if case .state(let state) = $0 { state } else { nil } }
        return (laps, states.last)
    }

    /// Saves a timer as soon as the store takes it, and reports the events then.
    private func saveLater(_ id: ULID, _ events: [LapEvent]) {
        state.withLock { $0.sessions[id]?.unsaved += 1 }
        Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil, let session = try? session(id) {
                do { try await save(session.document, as: id) } catch  where !(error is LapError) { continue }
                state.withLock { $0.sessions[id]?.unsaved -= 1 }
                return events.forEach { changed(id, .event($0)) }
            }
        }
    }

    /// A lap is kept even if its picture cannot be saved.
    private func keep(_ picture: [UInt8]?, of lap: Lap, in id: ULID) async -> Bool {
        guard let picture else { return false }
        do {
            let copy = try await recogniser.storedCopy(of: picture)
            try await history.scans.saveLapPhoto(copy, session: id, lap: lap.number)
        } catch {
            logger.warning(
                "A lap has no picture", metadata: ["id": "\(id)", "lap": "\(lap.number)", "error": "\(error)"])
            return false
        }
        state.withLock { state in _ = state.sessions[id]?.document.photos.insert(lap.number) }
        return true
    }
}

extension LapSessions.Session {
    /// Whether another stream may feed the timer.
    fileprivate var isFree: Bool {
        feed.map { ContinuousClock.now - $0.feeder.lastMessage() > LapSessions.patience } ?? true
    }
}
