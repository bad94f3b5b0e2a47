// Echoes every message, for the Autobahn suite (Benchmarks/WebSocket/autobahn). The argument is the port.
import Glibc
import HTTP
import Logging

var router = Router()
// Autobahn sends messages of up to 16 MiB.
router.get(
    "/",
    .inline { request in
        try .webSocket(request, limits: WebSocketLimits(messageBytes: 64 << 20, compressionBytes: 0)) { socket in
            for try await message in socket.messages { try await socket.send(message) }
        }
    })
var configuration = ServerConfiguration.standard
configuration.port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9001
let server = Server(configuration: configuration, router: router, logger: Logger(label: "websocket-echo"))
for address in try server.start() { print("ws://\(address)") }
// The starting process waits for this line, and standard output may be a pipe.
fflush(nil)
while true { try await Task.sleep(for: .seconds(3600)) }
