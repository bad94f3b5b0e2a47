/// Photos a second, measured, for an honest `Retry-After`. A pure value.
package struct ServiceRate {
    /// Smoothed seconds between completions while there was work; before the first measurement a cautious 20 ms.
    private(set) var secondsPerPhoto = 0.02
    private var lastCompletion: ContinuousClock.Instant?

    /// Weight of a new interval: about the last 20 photos count.
    private static let weight = 0.05

    package init() {}

    /// Notes a completion.
    ///
    /// - Parameter isBusy: other photos were being worked on, so that the time to the next completion is service time
    ///   and not idleness.
    package mutating func complete(now: ContinuousClock.Instant, isBusy: Bool) {
        if let lastCompletion {
            let seconds = (now - lastCompletion).seconds
            secondsPerPhoto += (seconds - secondsPerPhoto) * Self.weight
        }
        lastCompletion = isBusy ? now : nil
    }

    /// How long a backlog of so many photos takes.
    package func drainTime(of photos: Int) -> Duration {
        .seconds(secondsPerPhoto * Double(max(1, photos)))
    }
}

extension Duration {
    /// Whole and fractional seconds.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
