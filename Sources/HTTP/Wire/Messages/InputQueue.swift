import Base

/// Hands what a client sends, such as the chunks of a body, from a connection's loop to the one task that reads it, with
/// back-pressure.
final class InputQueue<Element: QueuedInput>: Sendable {
    private typealias Reader = CheckedContinuation<Element?, any Error>

    private struct State {
        /// Those that were handed out are nil.
        var elements: [Element?] = []
        /// The index of the first element that was not handed out.
        var first = 0
        var waitingBytes = 0
        var isPaused = false
        var wasRead = false
        var end: Result<Void, any Error>?
        var reader: Reader?
    }

    /// The number of waiting bytes above which the loop stops reading the socket.
    static var highWatermark: Int { 256 * 1024 }
    /// The number of waiting bytes below which the loop reads again.
    static var lowWatermark: Int { 64 * 1024 }

    private let state = Locked(State())
    private let tellsFirstRead: Bool
    /// The allowance that counts the waiting bytes.
    private let allowance: BodyAllowance?
    /// Tells the connection to read on. It is called on the reader's thread.
    private let demand: @Sendable () -> Void

    /// - Parameters:
    ///   - tellsFirstRead: whether `demand` runs for the first read too.
    ///   - allowance: counts the waiting bytes. While they do not fit, the socket is read one element at a time.
    init(tellsFirstRead: Bool = false, allowance: BodyAllowance? = nil, demand: @escaping @Sendable () -> Void) {
        self.tellsFirstRead = tellsFirstRead
        self.allowance = allowance
        self.demand = demand
    }

    // MARK: The loop's side

    /// Adds an element. A waiting reader gets it at the next ``deliver()``, so that it is woken once for all elements
    /// that arrived together.
    /// - Returns: false when the loop should stop reading until `demand`.
    func push(_ element: Element) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return true }
            state.elements.append(element)
            state.waitingBytes += element.queuedBytes
            let hasRoom = allowance?.add(element.queuedBytes) ?? true
            state.isPaused = !hasRoom || state.waitingBytes > Self.highWatermark
            return !state.isPaused
        }
    }

    /// Wakes a waiting reader if there is something for it.
    func deliver() { resumeReader { _ in } }

    /// Ends the queue. Elements that are there can still be read.
    func finish(_ result: Result<Void, any Error>) {
        resumeReader { state in
            if state.end == nil { state.end = result }
        }
    }

    /// The reader is resumed under the lock, because that only queues its task.
    private func resumeReader(after change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            guard let reader = state.reader, let answer = take(&state) else { return }
            state.reader = nil
            reader.resume(with: answer)
        }
    }

    // MARK: The reader's side

    /// Whether anybody has ever asked for an element.
    var wasRead: Bool { state.withLock { $0.wasRead } }

    /// The next element; nil at the end.
    /// - Throws: the error that ended the queue, or `CancellationError`.
    func next() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let wakes = state.withLock { state -> Bool in
                    let isFirst = !state.wasRead
                    state.wasRead = true
                    if let answer = take(&state) {
                        continuation.resume(with: answer)
                    } else if state.reader == nil {
                        state.reader = continuation
                    } else {
                        continuation.resume(throwing: ConcurrentReaders())
                    }
                    let wakes =
                        isFirst && tellsFirstRead || state.isPaused && state.waitingBytes <= Self.lowWatermark
                    if wakes { state.isPaused = false }
                    return wakes
                }
                if wakes { demand() }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// The next element, or the end; nil if neither is there yet.
    private func take(_ state: inout State) -> Result<Element?, any Error>? {
        guard state.first < state.elements.count else { return state.end?.map { nil } }
        let element = state.elements[state.first]
        state.elements[state.first] = nil
        state.first += 1
        let bytes = element?.queuedBytes ?? 0
        state.waitingBytes -= bytes
        allowance?.give(bytes)
        if state.first == state.elements.count {
            state.elements.removeAll(keepingCapacity: true)
            state.first = 0
        }
        return .success(element)
    }
}

/// Something that waits in an ``InputQueue``.
protocol QueuedInput: Sendable {
    /// The memory that it takes, in bytes.
    var queuedBytes: Int { get }
}

extension [UInt8]: QueuedInput {
    var queuedBytes: Int { count }
}

/// Two tasks read one body, or the messages of one WebSocket, at the same time.
struct ConcurrentReaders: Error {}

extension InputQueue: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        let queue: InputQueue

        mutating func next() async throws -> Element? { try await queue.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: self) }
}
