import Base

/// A ``ProgressBar`` that any task may show. Its total is known when it is first shown.
final class SharedProgressBar: Sendable {
    /// `@unchecked Sendable`: the bar is only used behind a lock.
    private final class Holder: @unchecked Sendable {
        var bar: ProgressBar?
    }

    private let unit: String
    private let holder = Locked(Holder())

    init(unit: String) {
        self.unit = unit
    }

    func show(_ done: Int, of total: Int) {
        holder.withLock { holder in
            if holder.bar == nil { holder.bar = ProgressBar(total: total, unit: unit) }
            holder.bar?.show(done)
        }
    }

    /// Ends the line.
    func finish() { holder.withLock { $0.bar?.finish() } }
}
