package enum Handler: Sendable {
    /// Runs on the connection's loop, so it must be quick and never block. It cannot read a body.
    case inline(@Sendable (Request) throws -> Response)
    /// Runs as a task that is cancelled when the client's connection is lost.
    case asynchronous(@Sendable (Request) async throws -> Response)
    /// Runs as a task, after a check on the connection's loop. The check comes before any of the body is read, so that
    /// a refusal costs next to nothing. An error that it throws is the answer. It must be quick and never block.
    case guarded(
        check: @Sendable (Request) throws -> Void, handler: @Sendable (Request) async throws -> Response)

    /// Whether the handler runs as a task, which may read the body.
    var isAsynchronous: Bool {
        if case .inline = self { false } else { true }
    }
}
