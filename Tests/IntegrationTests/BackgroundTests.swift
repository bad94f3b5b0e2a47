import Foundation
import TestSupport
import Testing

/// The built program: `menagerie serve --detach`, `status` and `stop`, and the messages to systemd.
@Suite("The service in the background", .serialized, .timeLimit(.minutes(5))) struct BackgroundTests {
    /// A home and a data directory for one test. The end of the test stops everything that still runs there.
    final class Place: Sendable {
        let folder: TemporaryFolder
        let program = Program.menagerie

        init() throws {
            folder = try TemporaryFolder()
            try CompiledModels.share(with: data)
        }

        deinit {
            if let process = try? process(), process > 0 { kill(process, SIGKILL) }
        }

        var data: String { folder.path + "/data" }
        var log: String { folder.path + "/home/.local/state/menagerie/menagerie.log" }

        /// The number of the serving process in the data directory's file. 0 if the file is empty.
        func process() throws -> pid_t {
            let text = try String(contentsOfFile: data + "/menagerie.pid", encoding: .utf8)
            return text.split(separator: "\n").first.flatMap { pid_t($0) } ?? 0
        }

        func run(_ arguments: String...) async throws -> Program.Result {
            var environment = ["HOME": folder.path + "/home"]
            // A relative path for the state folder is ignored.
            environment["XDG_STATE_HOME"] = "relative"
            return try await program.run(
                arguments + ["--data-dir", data], environment: environment, in: folder.path)
        }

        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
    }

    /// The port in a text such as "… http://127.0.0.1:4711/ …".
    private func port(in text: String) throws -> Int {
        try #require(text.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\//).flatMap { Int($0.1) }, "\(text)")
    }

    @Test func theCommandReturnsWhenTheServiceAnswers() async throws {
        let place = try Place()
        // Without --data-dir the platform's folder is used.
        let platform = try await place.program.run(
            ["status"], environment: ["HOME": place.folder.path + "/home"], in: place.folder.path)
        #expect(platform.output.contains(place.folder.path + "/home/.local/share/menagerie"), "\(platform)")
        let before = try await place.run("status")
        #expect(before.status == 3 && before.output.contains("No service runs on"), "\(before)")
        #expect(try await place.run("stop").status == 1)

        let start = try await place.run("serve", "--detach", "--port", "0")
        #expect(start.status == 0, "\(start)")
        let port = try port(in: start.output)
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        #expect(try await exchange(port, request).first?.status == 200)
        let process = try place.process()
        #expect(start.output.contains("process \(process),") && start.output.contains(place.log))
        #expect(getsid(process) == process)
        #expect(try place.permissions(place.log) == 0o600 && place.permissions(place.data + "/menagerie.pid") == 0o600)

        let status = try await place.run("status")
        #expect(status.status == 0 && status.output.contains("process \(process), http://127.0.0.1:\(port)/"))
        let second = try await place.run("serve", "--detach", "--port", "0")
        #expect(second.status == 1 && second.errors.contains("runs already: process \(process)"), "\(second)")
        #expect(try await exchange(port, request).first?.status == 200)

        let stop = try await place.run("stop")
        #expect(stop.status == 0 && stop.output.contains("\(process)"), "\(stop)")
        // The parent may not have reaped the ended process yet.
        let isZombie = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(" Z ") == true
        #expect(isZombie || kill(process, 0) != 0)
        #expect(try await place.run("status").status == 3)
        #expect(try String(contentsOfFile: place.log, encoding: .utf8).contains(" Stopped"))
    }

    @Test func aFileThatAKilledServiceLeftSaysNothing() async throws {
        let place = try Place()
        #expect(try await place.run("serve", "--detach", "--port", "0").status == 0)
        let first = try place.process()
        kill(first, SIGKILL)
        try await eventually { try await place.run("status").status != 0 }
        #expect(try place.process() == first)
        // Another process now has this number. The command must not signal it.
        try place.folder.write(Array("\(getpid())\n".utf8), "data/menagerie.pid")
        #expect(try await place.run("stop").status == 1)
        #expect(try await place.run("serve", "--detach", "--port", "0").status == 0)
        #expect(try place.process() != first)
        #expect(try await place.run("stop").status == 0)
    }

    @Test func aStartThatFailsSaysWhy() async throws {
        let place = try Place()
        let wrong = try await place.run("serve", "--detach", "--port", "65536")
        #expect(wrong.status == 64 && wrong.errors.contains("http.port is \"65536\""), "\(wrong)")
        let model = try await place.run("serve", "--detach", "--port", "0", "--set", "recognition.default_model=nix")
        #expect(model.status == 1 && model.errors.contains("There is no model named"), "\(model)")
        #expect(model.output.isEmpty)
        for (detector, reason) in [("nix", "There is no model named"), ("menagerie", "is made for classification")] {
            let wrong = try await place.run("serve", "--detach", "--port", "0", "--set", "detection.model=\(detector)")
            #expect(wrong.status == 1, "\(wrong)")
            #expect(wrong.errors.contains("detection.model is wrong") && wrong.errors.contains(reason), "\(wrong)")
        }
        #expect(try await place.run("status").status == 3)
        // The port is taken. The output must not show lines of an earlier start.
        try await withService { service in
            let port = try await place.run("serve", "--detach", "--port", "\(service.port)")
            let words = "cannot listen on 127.0.0.1:\(service.port), where another program does"
            #expect(port.status == 1 && port.errors.contains(words), "\(port)")
            #expect(!port.errors.contains("nix"), "\(port)")
        }
    }

    @Test func whatIsPrintedOnceIsForTheTerminalAndNotForTheLog() async throws {
        let place = try Place()
        let start = try await place.run("serve", "--detach", "--port", "0", "--set", "security.create_key=true")
        #expect(start.status == 0, "\(start)")
        let key = try #require(start.output.firstMatch(of: /menagerie_[A-Za-z0-9_-]+/)?.0, "\(start)")
        // The log is written within a second.
        try await eventually { try String(contentsOfFile: place.log, encoding: .utf8).contains("Listening") }
        #expect(!(try String(contentsOfFile: place.log, encoding: .utf8)).contains(key))
        let port = try port(in: start.output)
        let request = "GET /history HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        #expect(try await exchange(port, request + "\r\n").first?.status == 401)
        #expect(try await exchange(port, request + "Authorization: Bearer \(key)\r\n\r\n").first?.status == 200)
        #expect(try await place.run("stop").status == 0)
    }

    @Test(arguments: ["/", "@"]) func systemdIsToldWhenItAnswersAndWhenItStops(kind: String) async throws {
        let place = try Place()
        let manager = try NotifySocket(
            kind == "/" ? place.folder.path + "/notify" : "@menagerie-\(UUID().uuidString)")
        let process = place.program.process(
            ["serve", "--port", "0", "--data-dir", place.data], environment: ["NOTIFY_SOCKET": manager.name])
        process.standardError = FileHandle.nullDevice
        try process.run()
        let ready = try await onThread { try manager.receive() }
        #expect(ready.hasPrefix("READY=1\nSTATUS=Serving http://127.0.0.1:"))
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        #expect(try await exchange(port(in: ready), request).first?.status == 200)
        process.terminate()
        #expect(try await onThread { try manager.receive() } == "STOPPING=1")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

/// A socket that receives messages for systemd.
private final class NotifySocket: Sendable {
    let name: String
    private let descriptor: CInt

    /// - Parameter name: a path, or an abstract name that begins with `@`.
    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        let isAbstract = name.hasPrefix("@")
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard code == 0 else { throw RawClient.Failure(description: "bind: errno \(errno)") }
    }

    deinit { close(descriptor) }

    func receive() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw RawClient.Failure(description: "no notification came: errno \(errno)") }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
