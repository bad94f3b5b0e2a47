import Base
package import Dispatch
import Foundation

/// Writes log lines to a descriptor on a queue of its own, so that a slow terminal or a full pipe never holds up an event
/// loop. Lines gather in one bounded buffer, which the queue takes whole.
package final class LogWriter: Sendable {
    private struct State: ~Copyable {
        var lines: LogLines
        /// The other of two buffers, empty while nothing is written from it.
        var spare: LogLines
        /// Lines that found no room since the last were taken.
        var droppedNow = 0
        var dropped = 0
        var isUrgent = false
    }

    /// How long a line may wait for others.
    package static let interval = DispatchTimeInterval.milliseconds(200)
    /// Bytes that are worth a write.
    private static let batch = 64 * 1024

    package let format: LogFormat
    private let descriptor: Int32
    private let capacity: Int
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "menagerie.log", qos: .utility)

    /// - Parameter capacity: bytes that may wait; a line on top of that is dropped.
    package init(
        descriptor: Int32 = FileHandle.standardError.fileDescriptor, format: LogFormat = .text, capacity: Int = 4 << 20
    ) {
        self.descriptor = descriptor
        self.format = format
        self.capacity = capacity
        state = Locked(State(lines: LogLines(format: format), spare: LogLines(format: format)))
    }

    /// Lines that were lost, because too much waited or the descriptor could not be written to.
    package var droppedLines: Int { state.withLock { $0.dropped } }

    /// Adds a line, or counts it as dropped where too much waits. Never waits for the descriptor.
    ///
    /// - Parameters:
    ///   - isUrgent: whether it is written at once; others wait up to ``interval`` for more.
    ///   - line: writes one whole line; it runs under a lock.
    package func write(isUrgent: Bool = false, _ line: (inout LogLines) -> Void) {
        let due: DispatchTimeInterval? = state.withLock { state in
            let before = state.lines.count
            guard before < capacity else {
                state.dropped += 1
                state.droppedNow += 1
                return nil
            }
            line(&state.lines)
            if !state.isUrgent, isUrgent || state.lines.count >= Self.batch {
                state.isUrgent = true
                return .nanoseconds(0)
            }
            return before == 0 ? Self.interval : nil
        }
        guard let due else { return }
        queue.asyncAfter(deadline: .now() + due) { [self] in drain() }
    }

    /// Returns when all lines so far are written, for the end of the process, or after the time that is allowed: nobody may
    /// ever read the pipe that they go to.
    package func flush(within limit: DispatchTimeInterval = .seconds(5)) {
        let done = DispatchSemaphore(value: 0)
        queue.async { [self] in
            drain()
            done.signal()
        }
        _ = done.wait(timeout: .now() + limit)
    }

    /// Writes all lines. What was dropped after them is told in a line of its own. On the queue only.
    private func drain() {
        var taken = LogLines(format: format)
        let dropped = state.withLock { state in
            swap(&state.spare, &taken)
            swap(&state.lines, &taken)
            state.isUrgent = false
            defer { state.droppedNow = 0 }
            return state.droppedNow
        }
        if dropped > 0 {
            taken.begin(level: "warning", logger: "menagerie.log", message: "Log lines dropped")
            taken.field("count", dropped)
            taken.field("reason", "standard error is too slow")
            taken.end()
        }
        let lost = taken.withBytes(put)
        taken.clear(keeping: 4 * Self.batch)
        state.withLock { state in
            swap(&state.spare, &taken)
            state.dropped += lost
        }
    }

    /// - Returns: the lines that could not be written.
    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let written = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if written > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            } else if written < 0, errno == EAGAIN {
                // Someone who shares the descriptor has made it non-blocking.
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            } else if written == 0 || errno != EINTR {
                return rest.count { $0 == UInt8(ascii: "\n") }
            }
        }
        return 0
    }
}
