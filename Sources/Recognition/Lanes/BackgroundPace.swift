/// Decides when background work, such as a training or a film, may take a lane. A pure value. The owner passes the time
/// in.
///
/// While interactive photos come, and for a while after the last one, at most one background photo is in work, and it
/// starts when no interactive photo waits or is in work. A core and a lane then stay free for the next request. Without
/// interactive photos every lane may take background photos that no waiting bulk photo needs. A background photo that
/// has waited long enough takes its turn in any case, so that background work is never starved.
struct BackgroundPace {
    /// The photos that wait in all lines.
    struct Waiting {
        var interactive = 0
        var bulk = 0
        /// The time since which a background photo waits. Nil if there is none.
        var backgroundSince: ContinuousClock.Instant?
    }

    /// The time after the last interactive photo in which the next one is expected.
    private static let memory = Duration.milliseconds(500)
    /// The longest wait of background work for a gap.
    private static let patience = Duration.milliseconds(40)

    private var interactiveRunning = 0
    private var backgroundRunning = 0
    private var lastInteractive: ContinuousClock.Instant?
    private var lastBackground: ContinuousClock.Instant?

    /// Whether interactive photos come.
    func isBusy(_ waiting: Waiting, now: ContinuousClock.Instant) -> Bool {
        interactiveRunning + waiting.interactive > 0 || lastInteractive.map { now - $0 < Self.memory } ?? false
    }

    /// The time at which to ask again whether a background photo may start. Nil if one may start now, or none waits.
    func hold(_ waiting: Waiting, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let since = waiting.backgroundSince else { return nil }
        let interactive = interactiveRunning + waiting.interactive
        if backgroundRunning > 0, isBusy(waiting, now: now) {
            return (interactive > 0 ? now : lastInteractive ?? now) + Self.memory
        }
        guard interactive + waiting.bulk > 0 else { return nil }
        let end = max(since, lastBackground ?? since) + Self.patience
        return end > now ? end : nil
    }

    /// Records that a lane took a photo.
    mutating func begin(_ priority: Priority) {
        switch priority {
        case .interactive: interactiveRunning += 1
        case .bulk: break
        case .background: backgroundRunning += 1
        }
    }

    /// Records that a lane has finished a photo.
    mutating func end(_ priority: Priority, now: ContinuousClock.Instant) {
        switch priority {
        case .interactive: (interactiveRunning, lastInteractive) = (interactiveRunning - 1, now)
        case .bulk: break
        case .background: (backgroundRunning, lastBackground) = (backgroundRunning - 1, now)
        }
    }
}
