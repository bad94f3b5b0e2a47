import Foundation
import HTTP
import Logging

/// Menagerie's HTTP server with the routes of the comparison: `HTTPBenchmarkServer FOLDER LOOPS [epoll|dispatch]`.
///
/// FOLDER holds `siamese.json`, and static files below `files`. The first printed line is the port.
@main
struct HTTPBenchmarkServer {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard (3...4).contains(arguments.count), let loops = Int(arguments[2]), loops > 0,
            let eventLoop = EventLoopKind(rawValue: arguments.count == 4 ? arguments[3] : "epoll")
        else {
            FileHandle.standardError.write(Data("usage: HTTPBenchmarkServer FOLDER LOOPS [epoll|dispatch]\n".utf8))
            exit(2)
        }
        // The service does the same.
        FreedMemory.keep()
        var configuration = ServerConfiguration.standard
        configuration.loops = loops
        configuration.eventLoop = eventLoop
        let server = Server(
            configuration: configuration, router: try router(folder: arguments[1]),
            logger: Logger(label: "benchmark"))
        for address in try server.start() { print(address.port) }
        fflush(nil)
        // valgrind does not support dispatchMain.
        withExtendedLifetime(server) { while true { pause() } }
    }

    private static func router(folder: String) throws -> Router {
        let breed = try Data(contentsOf: URL(fileURLWithPath: folder + "/siamese.json"))
        let article = Response.bytes([UInt8](breed), type: .json)
        let alive = Response.bytes(Array(#"{"status":"alive"}"#.utf8), type: .json)
        var router = Router()
        router.get(
            "/breeds/{id}",
            .inline { request in
                request.parameters["id"] == "siamese" ? article : .problem(ProblemDetails(.notFound))
            })
        router.get("/livez", .inline { _ in alive })
        let files = try StaticFiles(path: folder + "/files")
        router.get("/files/{path...}", .inline { files.response(to: $0, path: $0.parameters["path"] ?? "") })
        router.post(
            "/upload",
            .asynchronous { request in
                var length = 0
                for try await chunk in request.body { length += chunk.count }
                return .bytes(Array("\(length)".utf8), type: .text)
            })
        return router
    }
}
