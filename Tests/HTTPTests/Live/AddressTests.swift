import Foundation
import Glibc
@testable import HTTP
import Logging
import TestSupport
import Testing

/// The server's addresses, and its behaviour with many clients.
@Suite(.serialized) struct AddressTests {
    private func connectIPv6(_ port: Int) -> CInt {
        let descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        address.sin6_addr = in6addr_loopback
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return -1
    }

    /// Containers often have no IPv6 loopback, although the kernel supports IPv6.
    private static let hasIPv6Loopback =
        (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?
        .contains("00000000000000000000000000000001") == true

    @Test(.enabled(if: hasIPv6Loopback, "There is no ::1."))
    func servesIPv6() async throws {
        var router = Router()
        router.get("/who", .inline { .bytes(Array($0.remoteAddress.utf8), type: .text) })
        try await withServer(router, configuration: ServerConfiguration(host: "::1")) { port, _ in
            let descriptor = connectIPv6(port)
            try #require(descriptor >= 0)
            let text = try await onThread {
                let request = Array("GET /who HTTP/1.1\r\nHost: [::1]:\(port)\r\nConnection: close\r\n\r\n".utf8)
                _ = send(descriptor, request, request.count, CInt(MSG_NOSIGNAL))
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { all += buffer[..<count] }
                close(descriptor)
                return RawResponse.parse(all).map(\.text)
            }
            #expect(text == ["::1"])
        }
    }

    @Test func servesAUnixSocketAndRemovesIt() async throws {
        let name = "menagerie-\(UInt32.random(in: .min ... .max)).sock"
        let path = FileManager.default.temporaryDirectory.appending(path: name).path
        let configuration = ServerConfiguration(unixSocketPath: path)
        try await withServer(.sample, configuration: configuration) { _, _ in
            let text = try await onThread {
                let client = try RawClient(unixPath: path)
                try client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.responses(1)[0].text
            }
            #expect(text == "hello")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func anAddressThatIsTriedIsLeftAsItWas() throws {
        let folder = try TemporaryFolder()
        let configuration = ServerConfiguration(unixSocketPath: folder.path + "/socket")
        for _ in 0..<2 { try Server.probe(configuration) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(configuration.address == folder.path + "/socket")
        #expect(ServerConfiguration(host: "::1", port: 80).address == "[::1]:80")
    }

    @Test(arguments: ["*", "http://a", "http://a:80"])
    func optionsOfTheWholeServer(_ target: String) async throws {
        // An absolute form without a path is equivalent to the asterisk form (RFC 9112 §3.2.4).
        try await withServer(.sample) { port, _ in
            let all = try await exchange(port, "OPTIONS \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(all.map(\.status) == [204])
            #expect(all[0].headers["allow"] == "GET, HEAD, OPTIONS, POST")
        }
    }

    /// The echo server of Benchmarks/WebSocket, built together with the tests.
    private static let echo = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "WebSocketEcho")

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: echo.path), "WebSocketEcho is not built."))
    func exhaustedDescriptorsAreWaitedFor() async throws {
        try await withEcho(limit: "-n") { port in
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            // More clients than descriptors. The last ones wait in the kernel's queue.
            let many = try (0..<40).map { _ in try RawClient(port: port) }
            try many[0].send(request)
            #expect(try many[0].responses(1)[0].status == 426)
            try many[39].send(request)
            for client in many[..<39] { client.close() }
            #expect(try many[39].responses(1)[0].status == 426)
            // A new client is served too.
            let client = try RawClient(port: port)
            try client.send(request)
            #expect(try client.responses(1)[0].status == 426)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: echo.path), "WebSocketEcho is not built."))
    func aLowSoftLimitOfDescriptorsIsRaised() async throws {
        try await withEcho(limit: "-Sn") { port in
            let many = try (0..<40).map { _ in try RawClient(port: port) }
            for client in many {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.responses(1)[0].status == 426)
            }
        }
    }

    /// Runs the echo server in its own process, since the limit applies to a process.
    /// - Parameter limit: `-n` allows 24 descriptors. `-Sn` lets the server raise the limit itself.
    private func withEcho(limit: String, _ body: @escaping @Sendable (_ port: Int) throws -> Void) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "ulimit \(limit) 24; exec \"$0\" 0", Self.echo.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        try await onThread {
            // ws://127.0.0.1:PORT
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            try body(try #require(Int(line.split(separator: ":").last?.filter(\.isNumber) ?? "")))
        }
    }

    @Test func idleConnectionsDoNotDisturb() async throws {
        try await withServer(.sample) { port, server in
            try await onThread {
                let idle = try (0..<300).map { _ in try RawClient(port: port) }
                let busy = try RawClient(port: port)
                for _ in 0..<500 {
                    try busy.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(try busy.responses(1)[0].status == 200)
                }
                for client in idle { client.close() }
                busy.close()
            }
            try await eventually { server.connections == 0 }
        }
    }
}
