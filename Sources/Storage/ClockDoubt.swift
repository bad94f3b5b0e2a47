package import Base
package import Foundation
package import Logging

/// Spares what is old on the first day on which the clock is doubtful.
///
/// A clock that is years ahead, as after a failed battery, would make everything old. Most are put right within
/// minutes by the network. A machine that really rested for so long loses what is old a day later.
package struct ClockDoubt: Sendable {
    /// The time without anything new, beyond the age of retention, after which the clock is doubtful, in seconds.
    private static let gap: TimeInterval = 365 * 86_400

    /// When the clock was first found to be far ahead.
    package let since = Locked<ContinuousClock.Instant?>(nil)

    package init() {}

    /// The retention, without its age while the clock is doubtful.
    ///
    /// - Parameter thing: what is kept, such as `scan`, for the log.
    package func trusted(
        _ retention: RetentionPolicy, newest: Date?, now: Date, of thing: String, _ logger: Logger
    ) -> RetentionPolicy {
        guard let age = retention.maximumAge else { return retention }
        let isAhead = newest.map { now.timeIntervalSince($0) > age + Self.gap } ?? false
        let (doubt, isNew) = since.withLock { since in
            let isNew = since == nil && isAhead
            if isNew { since = .now }
            return (since, isNew)
        }
        if isNew, let newest {
            logger.warning(
                "The clock is more than a year ahead of the newest \(thing): no \(thing) is removed for its age today",
                metadata: ["newest": "\(newest.rfc3339)", "keep_days": "\(Int(clamping: age / 86_400))"])
        }
        guard let doubt, ContinuousClock.now - doubt < .seconds(86_400) else { return retention }
        var retention = retention
        retention.maximumAge = nil
        return retention
    }
}
