import Base

/// Events of one subject, such as a training, for any number of subscribers, who can resume after a break.
///
/// The last events stay in one buffer that all subscribers read, each at its own position. A slow subscriber costs no
/// memory: it loses the oldest events instead.
package final class EventChannel: Sendable {
    enum Step: Sendable {
        /// The serialized event at `position`. That is later than asked for when the subscriber was too slow.
        case event([UInt8], position: Int)
        case heartbeat
        /// The channel is finished, or the subscriber's task cancelled.
        case end
    }

    private struct State {
        var events: [[UInt8]] = []
        /// The position of the first event in the buffer; positions count from 0.
        var first = 0
        var isFinished = false
        var waiting: [Int: (position: Int, continuation: CheckedContinuation<Step, Never>)] = [:]
        var beats: Set<Int> = []
        var nextSubscriber = 0

        var end: Int { first + events.count }

        /// The next step of a subscriber at that position; nil if it has to wait.
        mutating func step(_ subscriber: Int, at position: Int) -> Step? {
            // An event proves as well as a heartbeat that the connection lives.
            let hasBeat = beats.remove(subscriber) != nil
            if position < end {
                let position = max(position, first)
                return .event(events[position - first], position: position)
            }
            if isFinished { return .end }
            return hasBeat ? .heartbeat : nil
        }
    }

    private let capacity: Int
    /// The beginning of all ids. It keeps ids of a channel before a restart apart from those of this one.
    private let prefix: String
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: the number of events kept for clients that come late or come back.
    ///   - name: begins all ids, for a channel that is made anew with the same events; without spaces or line ends.
    ///   With nil a random name begins them.
    package init(capacity: Int = 256, name: String? = nil) {
        self.capacity = max(1, capacity)
        prefix = name ?? String(UInt32.random(in: .min ... .max), radix: 36)
    }

    /// Sends an event to all subscribers. It does nothing after ``finish()``.
    package func publish(_ data: String, event: String? = nil) {
        change { state in
            guard !state.isFinished else { return }
            let id = "\(prefix)-\(state.end)"
            state.events.append(ServerSentEvent(id: id, event: event, data: data).serialized())
            guard state.events.count > capacity else { return }
            state.events.removeFirst()
            state.first += 1
        }
    }

    /// Ends all responses once they have sent what is left.
    package func finish() { change { $0.isFinished = true } }

    /// Changes the state, and resumes the subscribers that need not wait any more.
    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state -> [(CheckedContinuation<Step, Never>, Step)] in
            body(&state)
            var ready: [(CheckedContinuation<Step, Never>, Step)] = []
            for (subscriber, waiting) in state.waiting {
                guard let step = state.step(subscriber, at: waiting.position) else { continue }
                state.waiting[subscriber] = nil
                ready.append((waiting.continuation, step))
            }
            return ready
        }
        for (continuation, step) in ready { continuation.resume(returning: step) }
    }

    /// The position after the event with that id, or the start of the buffer if the id is unknown or absent.
    func position(after lastEventID: String?) -> Int {
        state.withLock { state in
            guard let lastEventID, lastEventID.hasPrefix(prefix + "-"),
                let position = Int(lastEventID.dropFirst(prefix.count + 1)), (0..<state.end).contains(position)
            else { return state.first }
            return max(position + 1, state.first)
        }
    }

    func addSubscriber() -> Int {
        state.withLock { state in
            state.nextSubscriber += 1
            return state.nextSubscriber
        }
    }

    /// Makes the subscriber's current or next wait end in a heartbeat.
    func beat(_ subscriber: Int) {
        // Only this subscriber is looked at, since each of thousands has its own heartbeat.
        let waiting = state.withLock { state in
            let waiting = state.waiting.removeValue(forKey: subscriber)
            if waiting == nil { state.beats.insert(subscriber) }
            return waiting
        }
        waiting?.continuation.resume(returning: .heartbeat)
    }

    func next(_ subscriber: Int, at position: Int) async -> Step {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let step = state.withLock { state -> Step? in
                    if let step = state.step(subscriber, at: position) { return step }
                    if Task.isCancelled { return .end }
                    state.waiting[subscriber] = (position, continuation)
                    return nil
                }
                if let step { continuation.resume(returning: step) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: subscriber) }?.continuation.resume(returning: .end)
        }
    }
}

extension EventChannel {
    /// The channel as a response. A client that comes back first gets what it missed after its Last-Event-ID, and a new
    /// client gets the whole buffer. Then events follow as they come.
    ///
    /// When the channel is finished and the client has everything, the answer is 204, which tells it not to come back
    /// (WHATWG HTML §9.2.3).
    /// - Parameter heartbeat: the time without an event after which a comment is sent.
    package func response(to request: Request, heartbeat: Duration = .seconds(15)) -> Response {
        let start = position(after: request.headers["Last-Event-ID"])
        let isOver = state.withLock { $0.isFinished && start >= $0.end }
        if isOver, request.headers.contains("Last-Event-ID") { return Response(status: .noContent) }
        let body = ResponseBody.stream(length: nil) { writer in
            // The client sees at once that it is connected. This block dispatches no event.
            try await writer.write(ServerSentEvent().serialized())
            try await self.send(to: writer, from: start, heartbeat: heartbeat)
        }
        return Response(headers: ServerSentEvent.headers, body: body)
    }

    private func send(to writer: ResponseBodyWriter, from start: Int, heartbeat: Duration) async throws {
        let subscriber = addSubscriber()
        let heart = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: heartbeat)
                beat(subscriber)
            }
        }
        defer {
            heart.cancel()
            state.withLock { state in _ = state.beats.remove(subscriber) }
        }
        var position = start
        while true {
            switch await next(subscriber, at: position) {
            case .event(let bytes, let found):
                try await writer.write(bytes)
                position = found + 1
            case .heartbeat:
                try await writer.write(ServerSentEvent.comment)
            case .end:
                return
            }
        }
    }
}
