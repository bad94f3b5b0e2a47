/// The deadline that a connection is under, and the time when it ends.
struct ConnectionDeadline {
    enum Kind: Hashable {
        case timer(ConnectionStateMachine.Timer)
        case handshake, upgraded, probe, write
    }

    var kind: Kind?
    /// The time of the deadline, in milliseconds of the loop's clock.
    private(set) var time: UInt64?
    /// Bytes that came or went since the last update.
    var progress: UInt64 = 0
    /// The time when the present kind began.
    private var start: UInt64 = 0
    /// Bytes that came or went since ``start``.
    private var moved: UInt64 = 0
    /// The time of the last progress, or ``start``.
    private var lastProgress: UInt64 = 0
    /// The request in which the present kind began.
    private var epoch: UInt64 = 0

    /// - Parameters:
    ///   - next: the event that the connection waits for now.
    ///   - fixed: the end of `upgraded` and `probe`, in milliseconds of the loop's clock; their owners compute it.
    ///   - epoch: changes with every request, so that each request has its own time.
    /// - Returns: whether ``time`` has changed.
    mutating func update(
        _ next: Kind?, fixed: UInt64?, epoch: UInt64, now: UInt64, timeouts: LoopContext.Timeouts
    ) -> Bool {
        let before = time
        if next != kind || next == .timer(.idle) || epoch != self.epoch {
            kind = next
            self.epoch = epoch
            start = now
            moved = 0
            lastProgress = now
        } else if progress > 0 {
            moved += progress
            lastProgress = now
        }
        progress = 0
        time =
            switch kind {
            case nil: nil
            case .handshake: start + timeouts.handshake
            case .timer(.idle): start + timeouts.idle
            case .timer(.header): start + timeouts.header
            case .timer(.linger): start + timeouts.linger
            case .upgraded, .probe: fixed
            case .timer(.body): end(timeouts.body, timeouts)
            case .write: end(timeouts.write, timeouts)
            }
        return time != before
    }

    /// Each byte buys the time that it may take at the minimum rate, so that dripping does not help. A client that sent
    /// much at once still may not pause for longer than `patience`.
    private func end(_ patience: UInt64, _ timeouts: LoopContext.Timeouts) -> UInt64 {
        min(start + patience + moved * 1000 / timeouts.minimumRate, lastProgress + patience)
    }
}

extension Duration {
    /// Rounded down, but at least 1.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
