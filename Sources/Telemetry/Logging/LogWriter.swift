import Base
package import Dispatch
import Foundation

/// Writes log lines to a descriptor on its own queue, so that a slow terminal or a full pipe never delays an event
/// loop. Lines gather in one bounded buffer, which the queue takes whole.
package final class LogWriter: Sendable {
    private struct State: ~Copyable {
        var lines: LogLines
        /// The other of two buffers. It is empty while nothing is written from it.
        var spare: LogLines
        /// The lines that found no room since the last write.
        var droppedNow = 0
        var dropped = 0
        var isUrgent = false
    }

    /// The time that a line may wait for others.
    private static let interval = DispatchTimeInterval.milliseconds(200)
    /// The number of bytes that are worth a write at once.
    private static let batch = 64 * 1024

    package let format: LogFormat
    private let descriptor: Int32
    private let capacity: Int
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "menagerie.log", qos: .utility)

    /// - Parameter capacity: the bytes that may wait. Further lines are dropped.
    package init(
        descriptor: Int32 = FileHandle.standardError.fileDescriptor, format: LogFormat = .text, capacity: Int = 4 << 20
    ) {
        self.descriptor = descriptor
        self.format = format
        self.capacity = capacity
        state = Locked(State(lines: LogLines(format: format), spare: LogLines(format: format)))
    }

    /// The number of lines lost, because too many waited or the descriptor could not be written.
    package var droppedLines: Int { state.withLock { $0.dropped } }

    /// Adds a line, or counts it as dropped if too much waits. It never waits for the descriptor.
    ///
    /// - Parameters:
    ///   - isUrgent: whether the line is written at once; others wait for more for a moment.
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

    /// Waits until all lines so far are written, for the end of the process. The wait is limited, because nobody may
    /// ever read the pipe.
    package func flush(within limit: DispatchTimeInterval = .seconds(5)) {
        let done = DispatchSemaphore(value: 0)
        queue.async { [self] in
            drain()
            done.signal()
        }
        _ = done.wait(timeout: .now() + limit)
    }

    /// Writes all lines, and after them a line about dropped ones. Call it on the queue only.
    private func drain() {
        var taken = LogLines(format: format)
        let dropped = state.withLock { state in
            swap(&state.spare, &taken)
            swap(&state.lines, &taken)
            state.isUrgent = false
            return exchange(&state.droppedNow, with: 0)
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
                // Another owner of the descriptor has made it non-blocking.
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            } else if written == 0 || errno != EINTR {
                return rest.count { $0 == UInt8(ascii: "\n") }
            }
        }
        return 0
    }
}
