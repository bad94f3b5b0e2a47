/// What answers a request.
package enum Handler: Sendable {
    /// Runs on the connection's loop: must be quick and never block. It cannot read a body.
    case inline(@Sendable (Request) throws -> Response)
    /// Runs as a task that is cancelled when the client's connection is lost.
    case asynchronous(@Sendable (Request) async throws -> Response)
    /// The same behind a check that runs on the connection's loop before any of the body is read, so that a refusal
    /// costs next to nothing: what it throws is the answer. The check must be quick and never block.
    case guarded(
        check: @Sendable (Request) throws -> Void, handler: @Sendable (Request) async throws -> Response)

    /// Whether it runs as a task, which may read the body.
    var isAsynchronous: Bool {
        if case .inline = self { false } else { true }
    }
}
