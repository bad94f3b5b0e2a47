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

    /// Runs the handler, of whatever kind.
    func callAsFunction(_ request: Request) async throws -> Response {
        switch self {
        case .inline(let handler): return try handler(request)
        case .asynchronous(let handler): return try await handler(request)
        case .guarded(let check, let handler):
            try check(request)
            return try await handler(request)
        }
    }
}

/// Cheap synchronous hooks around every handler. They may run on a connection's loop, so they must never block.
package protocol Middleware: Sendable {
    /// Runs before the handler, in the order of the list. A response returned here replaces the handler's.
    func before(_ request: inout Request) throws -> Response?

    /// Runs after the handler, in reverse order, and also after errors.
    func after(_ request: Request, _ response: inout Response)
}

extension Middleware {
    package func before(_ request: inout Request) throws -> Response? { nil }
    package func after(_ request: Request, _ response: inout Response) {}
}
