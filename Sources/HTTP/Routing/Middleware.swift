/// Synchronous, cheap hooks around every handler; they may run on a connection's loop and must never block.
package protocol Middleware: Sendable {
    /// In the order of the list. An answer returned here is sent in place of the handler's.
    func before(_ request: inout Request) throws -> Response?

    /// In reverse order, for errors too.
    func after(_ request: Request, _ response: inout Response)
}

extension Middleware {
    package func before(_ request: inout Request) throws -> Response? { nil }
    package func after(_ request: Request, _ response: inout Response) {}
}
