import Base
import Dispatch
import Foundation

/// Writes log lines to standard error on a queue of its own, so that a slow terminal or a full pipe never holds up an
/// event loop.
///
/// At most ``capacity`` lines wait; what comes on top of that is dropped, and the next line written says how many.
final class LogWriter: Sendable {
    static let standardError = LogWriter(descriptor: FileHandle.standardError.fileDescriptor)

    private struct State {
        var waiting = 0
        var dropped = 0
    }

    private let capacity = 10_000
    private let descriptor: Int32
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "menagerie.log", qos: .utility)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Queues a line; the line feed is added here.
    func write(_ line: String) {
        let dropped = state.withLock { state -> Int? in
            guard state.waiting < capacity else {
                state.dropped += 1
                return nil
            }
            state.waiting += 1
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard let dropped else { return }
        queue.async { [self] in
            if dropped > 0 { put("[\(dropped) log lines dropped: standard error is too slow]\n") }
            put(line + "\n")
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Waits until everything queued so far is written; for the end of the process.
    func flush() {
        queue.sync {}
    }

    private func put(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
