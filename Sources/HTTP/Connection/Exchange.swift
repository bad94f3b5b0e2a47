/// The request that a connection serves, for as long as its answer is not complete.
final class Exchange {
    /// Tells it from others of the same connection when a task reports late.
    let number: UInt64
    let request: Request
    let isVersion10: Bool
    /// Where an asynchronous handler reads the body.
    var channel: RequestBodyChannel?
    /// Not started yet.
    var handler: (@Sendable (Request) async throws -> Response)?
    var task: Task<Void, Never>?
    /// The streaming answer that waits for room.
    var writer: CheckedContinuation<Void, any Error>?
    /// The task of the streaming answer was cancelled: nothing more of it is sent.
    var isGivenUp = false
    /// The status of the answer, once that has begun.
    var status: Status?
    var framing = ResponseFraming.none
    var bytesOut = 0
    /// When an interim answer is sent to learn if the client, which has ended its side, is still there; in milliseconds of
    /// the loop's clock.
    var probeTime: UInt64?
    var wasProbed = false

    init(number: UInt64, request: Request, isVersion10: Bool) {
        self.number = number
        self.request = request
        self.isVersion10 = isVersion10
    }

    /// The client is gone: everyone who works for it learns that.
    func abandon(_ error: any Error) {
        channel?.finish(.failure(error))
        task?.cancel()
        let waiting = writer
        writer = nil
        waiting?.resume(throwing: error)
    }
}

/// A request whose handler runs on the loop once its small body is there.
struct PendingRequest {
    var request: Request
    let handler: Handler?
    let isVersion10: Bool
    var body: [UInt8] = []
}
