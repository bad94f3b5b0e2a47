import Base

/// When the frames of a stream were taken, in milliseconds since its first one. A pure value.
///
/// A client that knows says so before each frame, by whatever clock it has: only the differences count, so that the network
/// does not blur them. Without that a frame was taken when its last byte came.
struct LiveClock: Sendable {
    /// How much further than the time that has passed a client's clock may go from one frame to the next, in milliseconds:
    /// a film may be sent as fast as it is looked at, but a clock that is set moves no lap.
    static let maximumLead = 10_000.0

    private struct Last: Sendable {
        let arrival: ContinuousClock.Instant
        let milliseconds: Double
        let told: Double?
    }

    private var last: Last?

    /// Whether a client's time may come next: false where its clock went back, or on by far more than the time that has
    /// passed.
    func allows(_ told: Double, arrival: ContinuousClock.Instant) -> Bool {
        guard let last, let before = last.told else { return true }
        return (0...Self.maximumLead + (arrival - last.arrival) / .milliseconds(1)).contains(told - before)
    }

    /// When the next frame was taken, to a hundredth of a millisecond.
    ///
    /// - Parameter told: by the client's clock; where that has stepped, the time between two arrivals counts.
    mutating func take(_ told: Double?, arrival: ContinuousClock.Instant) -> Double {
        guard let last else {
            self.last = Last(arrival: arrival, milliseconds: 0, told: told)
            return 0
        }
        var step = max((arrival - last.arrival) / .milliseconds(1), 0)
        if let told, let before = last.told, allows(told, arrival: arrival) { step = told - before }
        let milliseconds = last.milliseconds + step
        self.last = Last(arrival: arrival, milliseconds: milliseconds, told: told)
        return (milliseconds * 100).rounded() / 100
    }
}
