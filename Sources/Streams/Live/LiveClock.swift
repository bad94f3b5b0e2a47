import Base

/// The recording times of a stream's frames, in milliseconds since the first one. A pure value.
///
/// A client that knows the time sends it before each frame, by any clock. Only differences count, so the network's
/// delays do not matter. Without it, a frame's time is the arrival of its last byte.
package struct LiveClock: Sendable {
    /// The milliseconds by which a client's clock may run ahead of the elapsed time from one frame to the next. A film
    /// may be sent as fast as it is processed, but setting a clock must not change a lap.
    package static let maximumLead = 10_000.0

    private struct Last: Sendable {
        let arrival: ContinuousClock.Instant
        let milliseconds: Double
        let clientTime: Double?
    }

    private var last: Last?

    /// Whether a client's time is plausible. It must not go back, or ahead by far more than the elapsed time.
    func allows(_ clientTime: Double, arrival: ContinuousClock.Instant) -> Bool {
        guard let last, let before = last.clientTime else { return true }
        return (0...Self.maximumLead + (arrival - last.arrival) / .milliseconds(1)).contains(clientTime - before)
    }

    /// The recording time of the next frame, to a hundredth of a millisecond.
    ///
    /// - Parameter clientTime: the time by the client's clock. If that clock was set, the time between two arrivals
    ///   counts.
    mutating func take(_ clientTime: Double?, arrival: ContinuousClock.Instant) -> Double {
        guard let last else {
            self.last = Last(arrival: arrival, milliseconds: 0, clientTime: clientTime)
            return 0
        }
        var step = max((arrival - last.arrival) / .milliseconds(1), 0)
        if let clientTime, let before = last.clientTime, allows(clientTime, arrival: arrival) {
            step = clientTime - before
        }
        let milliseconds = last.milliseconds + step
        self.last = Last(arrival: arrival, milliseconds: milliseconds, clientTime: clientTime)
        return milliseconds.rounded2
    }
}
