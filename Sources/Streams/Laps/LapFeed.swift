package import Base

/// A stream whose frames go to a lap timer. Only one task may use it.
package final class LapFeed: Sendable {
    /// The bytes of recent frames to keep. A lap is known some frames after it closed, and needs a picture then.
    private static let maximumBytes = 16 << 20
    /// The age of the oldest frame that is kept, in milliseconds.
    private static let reach = 1_500.0

    struct LastFrame: Sendable {
        let arrival: ContinuousClock.Instant
        /// Milliseconds of the session's clock.
        let milliseconds: Double
    }

    private struct Recent {
        var frames: [(milliseconds: Double, bytes: [UInt8])] = []
        var bytes = 0
    }

    package let id: ULID
    let number: Int
    /// The last frame of the stream before this one.
    private let last: LastFrame?
    /// The difference between the session's milliseconds and the stream's, known from the first frame on.
    private let offset = Locked(Double?.none)
    private let sessions: LapSessions
    private let recent = Locked(Recent())

    init(id: ULID, number: Int, after last: LastFrame?, sessions: LapSessions) {
        self.id = id
        self.number = number
        self.last = last
        self.sessions = sessions
    }

    deinit { sessions.detach(self) }

    /// The thing that the stream has to look for.
    package var pointed: ThingAppearance? { sessions.pointed(self) }

    /// Times a thing by its appearance from now on; nil times by the label again.
    package func point(at thing: ThingAppearance?) throws -> ThingAppearance? {
        try sessions.point(at: thing, from: self)
    }

    package func detach() { sessions.detach(self) }

    /// Passes a frame's content to the timer.
    ///
    /// - Returns: the closed laps, each with whether it has a picture, and the state if it has changed.
    package func observe(
        _ answer: FrameAnswer, _ frame: LiveFrame
    ) async throws -> (laps: [(lap: Lap, hasPhoto: Bool)], state: LapState?) {
        let now = answer.atMilliseconds + offset(with: frame)
        remember(frame.bytes, now)
        return try await sessions.observe(
            answer, LastFrame(arrival: frame.arrival, milliseconds: now), from: self
        ) { self.nearest(to: $0) }
    }

    /// The session's clock continues from one stream to the next by the time between their frames, whatever the age of
    /// the stream.
    private func offset(with frame: LiveFrame) -> Double {
        offset.withLock { offset in
            if let offset { return offset }
            let first = last.map { last in
                last.milliseconds + max((frame.arrival - last.arrival) / .milliseconds(1), 0) - frame.atMilliseconds
            }
            offset = first ?? 0
            return first ?? 0
        }
    }

    private func remember(_ bytes: [UInt8], _ now: Double) {
        recent.withLock { recent in
            recent.frames.append((now, bytes))
            recent.bytes += bytes.count
            while let first = recent.frames.first, recent.frames.count > 1,
                recent.bytes > Self.maximumBytes || now - first.milliseconds > Self.reach
            {
                recent.bytes -= first.bytes.count
                recent.frames.removeFirst()
            }
        }
    }

    private func nearest(to milliseconds: Double) -> [UInt8]? {
        recent.withLock { recent in
            recent.frames.min { abs($0.milliseconds - milliseconds) < abs($1.milliseconds - milliseconds) }?.bytes
        }
    }
}
