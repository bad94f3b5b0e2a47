/// Hands the chunks of a body from a connection's loop to the one task that reads them, with back-pressure.
final class RequestBodyChannel: Sendable {
    /// Above this many bytes waiting, the loop stops reading the socket.
    static let highWatermark = 256 * 1024
    /// Below this it reads again.
    static let lowWatermark = 64 * 1024

    private struct State {
        var chunks: [[UInt8]] = []
        /// Index of the first chunk that was not handed out.
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

    private let state = Locked(State())
    /// Called, on the reader's thread, when the connection should send `100 Continue` or read on.
    private let demand: @Sendable () -> Void

    init(demand: @escaping @Sendable () -> Void) {
        self.demand = demand
    }

    // MARK: The loop's side

    /// - Returns: false when the loop should stop reading until ``demand``.
    func push(_ chunk: [UInt8]) -> Bool {
        let (reader, goOn) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Bool) in
            guard state.end == nil else { return (nil, true) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, true)
            }
            state.chunks.append(chunk)
            state.waitingBytes += chunk.count
            state.isPaused = state.waitingBytes > Self.highWatermark
            return (nil, !state.isPaused)
        }
        reader?.resume(returning: chunk)
        return goOn
    }

    /// The body is complete, or will never be.
    func finish(_ result: Result<Void, any Error>) {
        let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
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
                switch step {
                case .chunk(let chunk): continuation.resume(returning: chunk)
                case .failure(let error): continuation.resume(throwing: error)
                case .wait: break
                }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func take(_ state: inout State) -> Step {
        if state.first < state.chunks.count {
            let chunk = state.chunks[state.first]
            state.chunks[state.first] = []
            state.first += 1
            state.waitingBytes -= chunk.count
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
