package import Base
package import Foundation
package import Logging

/// Spares what is old on the first day on which the clock is doubtful.
///
/// A clock that is years ahead, as after a failed battery, or that is set forward while the service runs, would make
/// everything old. Most are put right within minutes by the network. A machine that really rested for so long loses what
/// is old a day later.
package struct ClockDoubt: Sendable {
    /// The time without anything new, beyond the age of retention, after which the clock is doubtful, in seconds.
    private static let gap: TimeInterval = 365 * 86_400

    /// How far the clock may be set forward, in seconds.
    private static let step: TimeInterval = 86_400

    /// When the clock was first found to be far ahead, or last found to be set forward.
    package let since = Locked<ContinuousClock.Instant?>(nil)
    /// The last time by the clock and by the machine.
    private let last = Locked<(clock: Date, machine: ContinuousClock.Instant)?>(nil)

    package init() {}

    /// The retention, without its age while the clock is doubtful.
    ///
    /// - Parameter thing: what is kept, such as `scan`, for the log.
    package func trusted(
        _ retention: RetentionPolicy, newest: Date?, now: Date, of thing: String, _ logger: Logger
    ) -> RetentionPolicy {
        guard let age = retention.maximumAge else { return retention }
        let isAhead = newest.map { now.timeIntervalSince($0) > age + Self.gap } ?? false
        let before = last.withLock { exchange(&$0, with: (now, .now)) }
        let isSet =
            before.map { now.timeIntervalSince($0.clock) - (.now - $0.machine) / .seconds(1) > Self.step } ?? false
        let (doubt, isNew) = since.withLock { since in
            let isNew = isSet || since == nil && isAhead
            if isNew { since = .now }
            return (since, isNew)
        }
        if isNew, let newest {
            logger.warning(
                "The clock is far ahead of the newest \(thing): no \(thing) is removed for its age today",
                metadata: ["newest": "\(newest.rfc3339)", "keep_days": "\(Int(clamping: age / 86_400))"])
        }
        guard let doubt, ContinuousClock.now - doubt < .seconds(86_400) else { return retention }
        var retention = retention
        retention.maximumAge = nil
        return retention
    }
}
