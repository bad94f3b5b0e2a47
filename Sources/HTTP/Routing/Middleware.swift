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
