/// The measured photos a second, for a realistic `Retry-After`. A pure value.
struct ServiceRate {
    /// Smoothed seconds between completions during work. Before the first measurement it is a cautious 20 ms.
    private(set) var secondsPerPhoto = 0.02
    private var lastCompletion: ContinuousClock.Instant?

    /// The weight of a new interval: about the last 20 photos count.
    private static let weight = 0.05

    /// Records a completion.
    ///
    /// - Parameter isBusy: whether other photos were in work, so that the time to the next completion is not idleness.
    mutating func complete(now: ContinuousClock.Instant, isBusy: Bool) {
        if let lastCompletion {
            let seconds = (now - lastCompletion).seconds
            secondsPerPhoto += (seconds - secondsPerPhoto) * Self.weight
        }
        lastCompletion = isBusy ? now : nil
    }

    /// The time that a backlog of photos takes.
    func drainTime(of photos: Int) -> Duration {
        .seconds(secondsPerPhoto * Double(max(1, photos)))
    }
}

extension Duration {
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
