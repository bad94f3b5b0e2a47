import Base

/// Hands the chunks of a body from a connection's loop to the one task that reads them, with back-pressure.
package final class RequestBodyChannel: Sendable {
    /// The number of waiting bytes above which the loop stops reading the socket.
    package static let highWatermark = 256 * 1024
    /// The number of waiting bytes below which the loop reads again.
    static let lowWatermark = 64 * 1024

    private struct State {
        var chunks: [[UInt8]] = []
        /// The index of the first chunk that was not handed out.
        var first = 0
        var waitingBytes = 0
        var isPaused = false
        var wasAskedFor = false
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
    }

    private enum Step {
        case chunk([UInt8]?)
        case failure(any Error)
        case wait
    }

    private let state: Locked<State>
    /// The allowance that counts the waiting bytes.
    private let allowance: BodyAllowance?
    /// Tells the connection to send `100 Continue` or to read on. It is called on the reader's thread.
    private let demand: @Sendable () -> Void

    /// - Parameters:
    ///   - awaitsContinue: whether the connection has to hear about the first read.
    ///   - allowance: counts the waiting bytes. While they do not fit, the socket is read one chunk at a time.
    package init(
        awaitsContinue: Bool, allowance: BodyAllowance? = nil, demand: @escaping @Sendable () -> Void
    ) {
        state = Locked(State(wasAskedFor: !awaitsContinue))
        self.allowance = allowance
        self.demand = demand
    }

    // MARK: The loop's side

    /// Adds a chunk. A waiting reader gets it at the next ``deliver()``, so that it is woken once for all chunks that
    /// arrived together.
    /// - Returns: false when the loop should stop reading until `demand`.
    package func push(_ chunk: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return true }
            state.chunks.append(chunk)
            state.waitingBytes += chunk.count
            let hasRoom = allowance?.add(chunk.count) ?? true
            state.isPaused = !hasRoom || state.waitingBytes > Self.highWatermark
            return !state.isPaused
        }
    }

    /// Wakes a waiting reader if there is something for it.
    package func deliver() {
        let (reader, step) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Step) in
            guard let reader = state.reader else { return (nil, .wait) }
            state.reader = nil
            let step = take(&state)
            if case .wait = step { state.reader = reader }
            return (reader, step)
        }
        if let reader { Self.resume(reader, step) }
    }

    /// Ends the body, complete or not. A waiting reader first gets the bytes that are there.
    package func finish(_ result: Result<Void, any Error>) {
        let (reader, step) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Step) in
            guard state.end == nil else { return (nil, .wait) }
            state.end = result
            let reader = state.reader
            state.reader = nil
            guard let reader else { return (nil, .wait) }
            return (reader, take(&state))
        }
        if let reader { Self.resume(reader, step) }
    }

    // MARK: The reader's side

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (step, wakes) = state.withLock { state -> (Step, Bool) in
                    let step = take(&state)
                    if case .wait = step { state.reader = continuation }
                    let wakes = !state.wasAskedFor || (state.isPaused && state.waitingBytes <= Self.lowWatermark)
                    state.wasAskedFor = true
                    if wakes { state.isPaused = false }
                    return (step, wakes)
                }
                if wakes { demand() }
                Self.resume(continuation, step)
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private static func resume(_ reader: CheckedContinuation<[UInt8]?, any Error>, _ step: Step) {
        switch step {
        case .chunk(let chunk): reader.resume(returning: chunk)
        case .failure(let error): reader.resume(throwing: error)
        case .wait: break
        }
    }

    private func take(_ state: inout State) -> Step {
        if state.first < state.chunks.count {
            let chunk = state.chunks[state.first]
            state.chunks[state.first] = []
            state.first += 1
            state.waitingBytes -= chunk.count
            allowance?.give(chunk.count)
            if state.first == state.chunks.count {
                state.chunks.removeAll(keepingCapacity: true)
                state.first = 0
            }
            return .chunk(chunk)
        }
        switch state.end {
        case .success?: return .chunk(nil)
        case .failure(let error)?: return .failure(error)
        case nil: return state.reader == nil ? .wait : .failure(RequestBodyError.malformed("Two readers of one body."))
        }
    }
}
