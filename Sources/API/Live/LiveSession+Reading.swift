import Base
import HTTP
import Streams

/// Reading from the client, and watching for its silence.
extension LiveSession {
    /// A limit on the reading rate, so that a flood of messages costs only a share of the processor.
    private enum Flood {
        static let window = Duration.milliseconds(100)
        static let messages = 100
        static let bytes = 8 << 20
    }

    /// The time that a client may take to read an answer. Then it is dropped.
    private static let patience = Duration.seconds(30)

    /// Reads until the client ends its side.
    func read() async throws {
        defer { mailbox.close() }
        var (begin, count, bytes) = (ContinuousClock.now, 0, 0)
        for try await message in socket.messages {
            signs.withLock { $0.lastMessage = .now }
            switch message {
            case .binary(let frame):
                bytes += frame.count
                services.metrics.live.count(.received)
                if mailbox.offer(frame: frame) { services.metrics.live.count(.dropped) }
            case .text(let text):
                bytes += text.utf8.count
                try await take(text)
            }
            count += 1
            let now = ContinuousClock.now
            if now - begin >= Flood.window {
                (begin, count, bytes) = (now, 0, 0)
            } else if count >= Flood.messages || bytes >= Flood.bytes {
                try await Task.sleep(until: begin + Flood.window, clock: .continuous)
                (begin, count, bytes) = (.now, 0, 0)
            }
        }
    }

    private func take(_ text: String) async throws {
        do {
            let command = try LiveCommand(text)
            if case .frame(let milliseconds) = command {
                guard mailbox.announce(milliseconds) else { throw Self.clockStepped(to: milliseconds) }
                return
            }
            guard mailbox.offer(command: command) else {
                throw ProblemDetails(
                    .tooManyRequests, detail: "Too many messages wait already; this one was not taken.")
            }
        } catch let error as any ProblemConvertible {
            try await send(error.problem)
        }
    }

    /// Drops a client that sends nothing or reads nothing, or whose lap timer another stream feeds.
    func watch() async throws {
        let idle = services.limits.idle
        while true {
            try await Task.sleep(for: min(idle / 4, .seconds(1)))
            let signs = signs.withLock { $0 }
            if let since = signs.sendingSince, ContinuousClock.now - since > Self.patience { throw ConnectionLost() }
            if let id = signs.lost { return try await send(LapError.isFed(id).problem) }
            guard ContinuousClock.now - signs.lastMessage > idle else { continue }
            try await send(
                ProblemDetails(
                    type: "/problems/timed-out", title: "Timed out", status: .requestTimeout,
                    detail: "Nothing came for \(Int(clamping: idle / .seconds(1))) s."))
            return
        }
    }

    private static func clockStepped(to milliseconds: Double) -> ProblemDetails {
        .clockStep(
            "The “at_ms” \(milliseconds) is before that of the last frame, or more than "
                + "\(Int(LiveClock.maximumLead / 1000)) s ahead of the time that has passed. "
                + "The frame counts from its arrival, and the next ones from there.")
    }
}
