/// What answers a request.
package enum Handler: Sendable {
    /// Runs on the connection's loop: must be quick and never block. It cannot read a body.
    case inline(@Sendable (Request) throws -> Response)
    /// Runs as a task that is cancelled when the client's connection is lost.
    case asynchronous(@Sendable (Request) async throws -> Response)
}
