import Base
import HTTP

/// The answers that last as long as their client likes: cameras, server-sent events, exports.
///
/// A request is checked once, at its beginning. A stream is checked again whenever keys or sessions change.
final class OpenStreams: Sendable {
    /// The right of a stream to continue.
    struct Right: Sendable {
        /// See ``KeyDigest/identifier``.
        let key: UInt64
        let role: Role
        /// The session; nil for a key without one.
        let session: SessionToken?
    }

    private struct Stream {
        let right: Right
        let end: @Sendable () -> Void
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        var next = 0
    }

    private let state = Locked(State())

    /// Runs a stream until it ends or loses its right.
    /// - Parameters:
    ///   - isRightful: whether the right still holds. It is called once the stream can be ended, so that no change is
    ///   missed.
    ///   - close: runs when the right is lost, before the stream's task is cancelled.
    /// - Throws: the stream's error, or `ConnectionLost` if the right was lost.
    func run(
        _ right: Right, isRightful: @Sendable () -> Bool, _ stream: @escaping @Sendable () async throws -> Void,
        close: @escaping @Sendable () -> Void
    ) async throws {
        let work = Task { try await stream() }
        let number = state.withLock { state in
            state.next += 1
            state.streams[state.next] = Stream(right: right) {
                // The client is told the reason before the end of the task closes its connection.
                close()
                work.cancel()
            }
            return state.next
        }
        if !isRightful() { end(number) }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        guard state.withLock({ $0.streams.removeValue(forKey: number) != nil }) else { throw ConnectionLost() }
        try result.get()
    }

    /// Ends the streams that have lost their right.
    func end(unless isRightful: (Right) -> Bool) {
        let numbers = state.withLock { state in state.streams.filter { !isRightful($0.value.right) }.map(\.key) }
        for number in numbers { end(number) }
    }

    private func end(_ number: Int) {
        state.withLock { $0.streams.removeValue(forKey: number) }?.end()
    }
}
