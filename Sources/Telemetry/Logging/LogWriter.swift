import Base
package import Dispatch
import Foundation
import Synchronization

/// Writes log lines to a descriptor on a queue of its own, so that a slow terminal or a full pipe never holds up an event
/// loop: many lines with one write, each within ``interval``.
package final class LogWriter: Sendable {
    /// How long a line of a lane waits for others.
    package static let interval = DispatchTimeInterval.milliseconds(200)

    package let format: LogFormat
    private let descriptor: Int32
    private let capacity: Int
    private let lanes: Locked<[WaitingLines]>
    /// What is written now and then by any thread.
    private let shared: WaitingLines
    private let dropped = Atomic<Int>(0)
    private let isQueued = Atomic<Bool>(false)
    private let isTimed = Atomic<Bool>(false)
    private let queue = DispatchQueue(label: "menagerie.log", qos: .utility)

    /// - Parameter capacity: bytes that may wait in each lane; a line on top of that is dropped.
    package init(
        descriptor: Int32 = FileHandle.standardError.fileDescriptor, format: LogFormat = .text, capacity: Int = 4 << 20
    ) {
        self.descriptor = descriptor
        self.format = format
        self.capacity = capacity
        shared = WaitingLines(format: format, capacity: capacity)
        lanes = Locked([shared])
    }

    /// Lines that were lost, because too much waited or the descriptor could not be written to.
    package var droppedLines: Int { dropped.load(ordering: .relaxed) }

    /// A lane for a thread that writes much; it is kept for as long as the writer.
    package func newLane() -> LogLane {
        let waiting = WaitingLines(format: format, capacity: capacity)
        lanes.withLock { $0.append(waiting) }
        return LogLane(writer: self, waiting: waiting)
    }

    /// Adds a line that is written at once.
    func write(_ line: (inout LogLines) -> Void) {
        if shared.append(line) == .dropped { countDropped(1) }
        drainNow()
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

    func countDropped(_ count: Int) { dropped.add(count, ordering: .relaxed) }

    func drainSoon() {
        guard !isTimed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.asyncAfter(deadline: .now() + Self.interval) { [self] in
            isTimed.store(false, ordering: .releasing)
            drain()
        }
    }

    func drainNow() {
        guard !isQueued.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            isQueued.store(false, ordering: .releasing)
            drain()
        }
    }

    /// On the queue only. The lanes come before what any thread wrote, which mostly speaks of what they did.
    private func drain() {
        for waiting in lanes.withLock({ $0 }).reversed() { waiting.drain(put) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) {
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
                countDropped(rest.count { $0 == UInt8(ascii: "\n") })
                return
            }
        }
    }
}
