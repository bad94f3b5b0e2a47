import Foundation
import Hummingbird
import Logging
import NIOPosix

/// Hummingbird 2 with the routes of the comparison: `HummingbirdBenchmarkServer FOLDER LOOPS [log]`.
///
/// The code follows Hummingbird's documentation. Logging is off. With `log` its request log goes to standard error
/// through swift-log. FOLDER holds `siamese.json`, and static files below `files`. The first printed line is the port.
@main
struct HummingbirdBenchmarkServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let logs = arguments.last == "log"
        guard arguments.count == (logs ? 4 : 3), let loops = Int(arguments[2]), loops > 0 else {
            FileHandle.standardError.write(Data("usage: HummingbirdBenchmarkServer FOLDER LOOPS [log]\n".utf8))
            exit(2)
        }
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "benchmark")
        logger.logLevel = logs ? .info : .error
        let application = Application(
            router: try router(folder: arguments[1], logger: logger, logs: logs),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: 0), serverName: "Hummingbird", backlog: 1024),
            onServerRunning: { channel in
                print(channel.localAddress?.port ?? 0)
                fflush(nil)
            },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: loops)),
            logger: logger)
        try await application.runService()
    }

    private static func router(folder: String, logger: Logger, logs: Bool) throws -> Router<BasicRequestContext> {
        let article = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: folder + "/siamese.json")))
        let alive = ByteBuffer(string: #"{"status":"alive"}"#)
        let json: HTTPFields = [.contentType: "application/json"]
        let router = Router()
        if logs { router.add(middleware: LogRequestsMiddleware(.info)) }
        router.get("/breeds/:id") { _, context in
            guard try context.parameters.require("id") == "siamese" else { throw HTTPError(.notFound) }
            return Response(status: .ok, headers: json, body: ResponseBody(byteBuffer: article))
        }
        router.get("/livez") { _, _ in
            Response(status: .ok, headers: json, body: ResponseBody(byteBuffer: alive))
        }
        // The middleware has its own route group, so that the other routes do not pay for it. It answers requests
        // without another route.
        router.group("/files").add(middleware: FileMiddleware(folder + "/files", urlBasePath: "/files", logger: logger))
            .get("**") { _, _ -> Response in throw HTTPError(.notFound) }
        router.post("/upload") { request, _ in
            var length = 0
            for try await buffer in request.body { length += buffer.readableBytes }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(length)")))
        }
        return router
    }
}
