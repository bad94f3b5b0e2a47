import Base

/// The way of one thread's lines to the ``LogWriter``: they gather here until it takes them all at once.
///
/// A thread that writes much, such as an event loop, has one of its own, so that it waits for no other's line.
package struct LogLane: Sendable {
    let writer: LogWriter
    let waiting: WaitingLines

    /// Adds a line, or counts it as dropped where too much waits. Never waits for the descriptor.
    ///
    /// - Parameter line: writes one whole line; it runs under the lane's lock.
    package func write(_ line: (inout LogLines) -> Void) {
        switch waiting.append(line) {
        case .first: writer.drainSoon()
        case .full: writer.drainNow()
        case .more: break
        case .dropped: writer.countDropped(1)
        }
    }
}

/// What waits in one lane.
final class WaitingLines: Sendable {
    /// What a line found.
    enum Place {
        /// Nothing else waits: the writer has to be told.
        case first
        case more
        /// With it there is enough for a write.
        case full
        /// There was no room.
        case dropped
    }

    private struct State: ~Copyable {
        var lines: LogLines
        /// Lines that found no room since the last were taken.
        var dropped = 0
    }

    /// Bytes that are worth a write.
    private static let batch = 64 * 1024
    /// Bytes of memory that are kept while nothing waits.
    private static let keptMemory = 4 * batch

    /// In bytes.
    private let capacity: Int
    private let state: Locked<State>
    /// Swapped with those that wait, and written from: only the writer takes this lock, the outer one of the two.
    private let taken: Locked<LogLines>

    init(format: LogFormat, capacity: Int) {
        self.capacity = capacity
        state = Locked(State(lines: LogLines(format: format)))
        taken = Locked(LogLines(format: format))
    }

    func append(_ line: (inout LogLines) -> Void) -> Place {
        state.withLock { state in
            let before = state.lines.count
            guard before < capacity else {
                state.dropped += 1
                return .dropped
            }
            line(&state.lines)
            if before == 0 { return .first }
            return before < Self.batch && state.lines.count >= Self.batch ? .full : .more
        }
    }

    /// Takes all lines. What was dropped after them is told in a line of its own.
    func drain(_ write: (UnsafeRawBufferPointer) -> Void) {
        taken.withLock { taken in
            let dropped = state.withLock { state in
                swap(&state.lines, &taken)
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 {
                taken.begin(level: "warning", logger: "menagerie.log", message: "Log lines dropped")
                taken.field("count", dropped)
                taken.field("reason", "standard error is too slow")
                taken.end()
            }
            taken.withBytes { if !$0.isEmpty { write($0) } }
            taken.clear(keeping: Self.keptMemory)
        }
    }
}
