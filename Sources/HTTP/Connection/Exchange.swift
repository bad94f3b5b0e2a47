/// A request that a connection serves, until its answer is complete.
final class Exchange {
    /// Tells this request from others of the connection when a task reports late.
    let number: UInt64
    let request: Request
    let isVersion10: Bool
    /// The channel through which an asynchronous handler reads the body.
    var channel: InputQueue<[UInt8]>?
    /// The asynchronous handler, until it is started.
    var handler: (@Sendable (Request) async throws -> Response)?
    var task: Task<Void, Never>?
    /// The writer of a streaming answer that waits for room.
    var writer: CheckedContinuation<Void, any Error>?
    /// Whether the task of the streaming answer was cancelled, so that nothing more of it is sent.
    var isGivenUp = false
    /// The status of the answer, once the answer has begun.
    var status: Status?
    var framing = ResponseFraming.none
    var bytesOut = 0
    /// The time to send an interim answer, in milliseconds of the loop's clock. It shows whether a client that has
    /// ended its side is still there.
    var probeTime: UInt64?
    var wasProbed = false

    init(number: UInt64, request: Request, isVersion10: Bool) {
        self.number = number
        self.request = request
        self.isVersion10 = isVersion10
    }

    /// Tells the body's reader and the tasks that the client is gone.
    func abandon(_ error: any Error) {
        channel?.finish(.failure(error))
        task?.cancel()
        exchange(&writer, with: nil)?.resume(throwing: error)
    }
}

/// A request whose handler runs on the loop once its small body has come. Such a handler reads no body, so none is kept.
struct PendingRequest {
    var request: Request
    let handler: Handler?
    let isVersion10: Bool
}
