import Foundation
import HTTP
import Logging

/// The event loop of the servers under test: epoll, or the value of TEST_EVENT_LOOP.
enum TestedEventLoop {
    static let kind =
        ProcessInfo.processInfo.environment["TEST_EVENT_LOOP"].map { name in
            guard let kind = EventLoopKind(rawValue: name) else { preconditionFailure("no event loop: \(name)") }
            return kind
        } ?? .epoll
}

/// Runs a server on a free port during the body.
func withServer<Result>(
    _ router: Router, configuration: ServerConfiguration = .standard, observer: (any ServerObserver)? = nil,
    middleware: [any Middleware] = [], _ body: (_ port: Int, _ server: Server) async throws -> Result
) async throws -> Result {
    var configuration = configuration
    configuration.port = 0
    configuration.eventLoop = TestedEventLoop.kind
    let server = Server(
        configuration: configuration, router: router, middleware: middleware, observer: observer,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let address = try server.start()
    do {
        let result = try await body(address[0].port, server)
        await server.shutdown(drainTimeout: .milliseconds(200))
        return result
    } catch {
        await server.shutdown(drainTimeout: .milliseconds(200))
        throw error
    }
}

extension Router {
    /// `GET /hello`, `POST /echo` (asynchronous, returns the body), `POST /count` (asynchronous, returns its length),
    /// `POST /inline` (on the loop, returns the body), `GET /async`.
    static var sample: Router {
        var router = Router()
        router.get("/hello", .inline { _ in .bytes(Array("hello".utf8), type: .text) })
        router.get("/async", .asynchronous { _ in .bytes(Array("async".utf8), type: .text) })
        router.post(
            "/echo", .asynchronous { .bytes(try await $0.body.collect(upTo: 1 << 20), type: .octetStream) })
        router.post(
            "/count",
            .asynchronous { request in
                var count = 0
                for try await chunk in request.body { count += chunk.count }
                return .bytes(Array("\(count)".utf8), type: .text)
            })
        router.post("/inline", .inline { _ in .bytes(Array("inline".utf8), type: .text) })
        return router
    }
}
