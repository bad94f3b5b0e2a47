import Base
import Foundation

/// A line on a terminal that shows the progress of work. Elsewhere it writes nothing.
final class ProgressBar {
    private let total: Int
    private let unit: String
    private let write: ((String) -> Void)?
    private let start: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant?

    /// Writes to standard error if that is a terminal.
    convenience init(total: Int, unit: String) {
        let error = FileHandle.standardError
        self.init(
            total: total, unit: unit,
            write: isatty(error.fileDescriptor) == 1 ? { error.write(Data($0.utf8)) } : nil)
    }

    init(total: Int, unit: String, start: ContinuousClock.Instant = .now, write: ((String) -> Void)?) {
        self.total = max(1, total)
        self.unit = unit
        self.start = start
        self.write = write
    }

    /// Updates the bar, at most ten times a second.
    func show(_ done: Int, now: ContinuousClock.Instant = .now) {
        guard let write else { return }
        if let shown, shown.duration(to: now) < .milliseconds(100), done < total { return }
        shown = now
        write("\r\u{1B}[2K" + Self.line(done: done, total: total, unit: unit, elapsed: start.duration(to: now)))
    }

    /// Ends the line.
    func finish() {
        if shown != nil { write?("\n") }
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
