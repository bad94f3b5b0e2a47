import Base

/// Hands messages from a connection's loop to the one task that reads them, with back-pressure.
final class WebSocketInbox: Sendable {
    /// The cost of waiting messages above which the loop stops reading.
    static let highWatermark = 256 * 1024
    /// The cost below which the loop reads again.
    static let lowWatermark = 64 * 1024
    /// The cost of a message beside its payload, in bytes.
    private static let overhead = 64

    private struct State {
        var messages: [WebSocketMessage] = []
        /// The index of the first message that was not handed out.
        var first = 0
        var cost = 0
        var isPaused = false
        var wasRead = false
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<WebSocketMessage?, any Error>?

        var isEmpty: Bool { first == messages.count }
    }

    private enum Step {
        case message(WebSocketMessage?)
        case failure(any Error)
        case wait
    }

    private let state = Locked(State())
    /// Tells the loop to read on. It is called on the reader's thread.
    private let demand: @Sendable () -> Void

    init(demand: @escaping @Sendable () -> Void) {
        self.demand = demand
    }

    /// Whether the handler has ever asked for a message.
    var wasRead: Bool { state.withLock { $0.wasRead } }

    // MARK: The loop's side

    /// - Returns: false when the loop should stop reading until ``demand``.
    func push(_ message: WebSocketMessage) -> Bool {
        let (reader, goOn) = state.withLock { state -> (CheckedContinuation<WebSocketMessage?, any Error>?, Bool) in
            guard state.end == nil else { return (nil, true) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, true)
            }
            state.messages.append(message)
            state.cost += Self.cost(message)
            state.isPaused = state.cost > Self.highWatermark
            return (nil, !state.isPaused)
        }
        reader?.resume(returning: message)
        return goOn
    }

    /// Ends the messages. Those that are there can still be read.
    func finish(_ result: Result<Void, any Error>) {
        let reader = state.withLock { state -> CheckedContinuation<WebSocketMessage?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = result
            defer { state.reader = nil }
            return state.reader
        }
        switch result {
        case .success: reader?.resume(returning: nil)
        case .failure(let error): reader?.resume(throwing: error)
        }
    }

    // MARK: The reader's side

    func next() async throws -> WebSocketMessage? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (step, wakes) = state.withLock { state -> (Step, Bool) in
                    let step = Self.take(&state)
                    if case .wait = step { state.reader = continuation }
                    state.wasRead = true
                    let wakes = state.isPaused && state.cost <= Self.lowWatermark
                    if wakes { state.isPaused = false }
                    return (step, wakes)
                }
                if wakes { demand() }
                switch step {
                case .message(let message): continuation.resume(returning: message)
                case .failure(let error): continuation.resume(throwing: error)
                case .wait: break
                }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private static func take(_ state: inout State) -> Step {
        if !state.isEmpty {
            let message = state.messages[state.first]
            state.messages[state.first] = .binary([])
            state.first += 1
            state.cost -= cost(message)
            if state.isEmpty {
                state.messages.removeAll(keepingCapacity: true)
                state.first = 0
            }
            return .message(message)
        }
        switch state.end {
        case .success?: return .message(nil)
        case .failure(let error)?: return .failure(error)
        case nil: return state.reader == nil ? .wait : .failure(WebSocketReaderError())
        }
    }

    private static func cost(_ message: WebSocketMessage) -> Int {
        switch message {
        case .text(let text): text.utf8.count + overhead
        case .binary(let bytes): bytes.count + overhead
        }
    }
}

/// Two tasks read the messages of one WebSocket at the same time.
package struct WebSocketReaderError: Error {}
