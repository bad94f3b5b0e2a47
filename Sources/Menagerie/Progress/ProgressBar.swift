import Base
import Foundation

/// A line on a terminal that shows the progress of work. Elsewhere it writes nothing. Any task may show it.
final class ProgressBar: Sendable {
    private let unit: String
    private let start: ContinuousClock.Instant
    private let write: (@Sendable (String) -> Void)?
    private let shown = Locked<ContinuousClock.Instant?>(nil)

    /// Writes to standard error if that is a terminal.
    convenience init(unit: String) {
        self.init(unit: unit, write: isatty(STDERR_FILENO) == 1 ? writeError : nil)
    }

    init(unit: String, start: ContinuousClock.Instant = .now, write: (@Sendable (String) -> Void)?) {
        self.unit = unit
        self.start = start
        self.write = write
    }

    /// Updates the bar, at most ten times a second.
    func show(_ done: Int, of total: Int, now: ContinuousClock.Instant = .now) {
        guard let write else { return }
        shown.withLock { shown in
            if let shown, shown.duration(to: now) < .milliseconds(100), done < total { return }
            shown = now
            let line = Self.line(done: done, total: max(1, total), unit: unit, elapsed: start.duration(to: now))
            write("\r\u{1B}[2K" + line)
        }
    }

    /// Ends the line.
    func finish() {
        shown.withLock { if $0 != nil { write?("\n") } }
    }

    /// `[#########-----------] 45 % 450/1000 photos, 120/s, 5 s left`
    static func line(done: Int, total: Int, unit: String, elapsed: Duration) -> String {
        let share = min(1, Double(done) / Double(total))
        let filled = Int(clamping: share * 20)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
        let seconds = elapsed / .seconds(1)
        let counts = "[\(bar)] \(Int(clamping: share * 100)) % \(done)/\(total) \(unit)"
        guard done > 0, seconds > 0 else { return counts }
        let rate = Double(done) / seconds
        let left = Int(clamping: (Double(total - done) / rate).rounded(.up))
        return counts + ", \(Int(clamping: rate.rounded()))/s" + (left > 0 ? ", \(left) s left" : "")
    }
}
