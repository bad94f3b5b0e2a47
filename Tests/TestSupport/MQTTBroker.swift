import Foundation
import Glibc

/// A mosquitto broker on a free local port. It ends with its owner.
package final class MQTTBroker: @unchecked Sendable {
    package static var isAvailable: Bool { program != nil }
    private static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The reason why there is no broker.
    package struct Obstacle: Error {
        package let reason: String
    }

    package let port: Int
    package let folder: TemporaryFolder
    private let configuration: String
    /// Only the test's thread starts and stops it.
    private var process: Process?

    /// Writes a configuration. The broker does not start yet.
    ///
    /// - Parameters:
    ///   - user: the only allowed user, with the password `right`. Nil allows everybody.
    ///   - settings: further lines of the configuration.
    package init(user: String? = nil, settings: String = "") throws {
        folder = try TemporaryFolder()
        port = try Self.freePort()
        // As root mosquitto would switch to a user that cannot read the folder.
        var lines = "listener \(port) 127.0.0.1\npersistence false\nuser \(NSUserName())\n\(settings)\n"
        if let user {
            let passwords = folder.path + "/passwords"
            try Self.run("/usr/bin/mosquitto_passwd", ["-c", "-b", passwords, user, "right"])
            lines += "allow_anonymous false\npassword_file \(passwords)\n"
        } else {
            lines += "allow_anonymous true\n"
        }
        configuration = folder.path + "/mosquitto.conf"
        try lines.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    deinit {
        if let process { kill(process.processIdentifier, SIGKILL) }
    }

    /// Starts the broker and waits until it listens.
    package func start() async throws {
        guard let program = Self.program else { throw Obstacle(reason: "apt-get install mosquitto") }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["-c", configuration]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        try await eventually { Self.listens(port) }
    }

    /// Lets the broker read nothing more. Its connections stay open.
    package func freeze() {
        if let process { kill(process.processIdentifier, SIGSTOP) }
    }

    /// Ends the broker like a crash.
    package func stop() {
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Runs `mosquitto_pub` with the port and these arguments.
    package func publish(_ arguments: [String], standardInput: String? = nil) throws {
        try Self.run("/usr/bin/mosquitto_pub", ["-p", "\(port)"] + arguments, standardInput: standardInput)
    }

    /// Starts `mosquitto_sub`. It runs until its listener is released.
    package func listener(_ arguments: [String]) throws -> MQTTListener {
        try MQTTListener(["-p", "\(port)"] + arguments)
    }

    private static func run(_ program: String, _ arguments: [String], standardInput: String? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let pipe = Pipe()
        if standardInput != nil { process.standardInput = pipe }
        try process.run()
        if let standardInput {
            try pipe.fileHandleForWriting.write(contentsOf: Data(standardInput.utf8))
            try pipe.fileHandleForWriting.close()
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Obstacle(reason: "\(program) ended with \(process.terminationStatus)")
        }
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        return address
    }

    package static func freePort() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw Obstacle(reason: "there is no free port") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func listens(_ port: Int) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = address(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Another client of the broker. It records the lines of `mosquitto_sub -v`.
package final class MQTTListener: Sendable {
    private let process: Process
    private let file: URL
    private let folder: TemporaryFolder

    init(_ arguments: [String]) throws {
        folder = try TemporaryFolder()
        file = URL(filePath: folder.path).appending(path: "heard")
        try Data().write(to: file)
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_sub")
        process.arguments = ["-v"] + arguments
        process.standardOutput = try FileHandle(forWritingTo: file)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    package var lines: [String] {
        ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}
