import Foundation
import Synchronization
import Testing

/// The program `menagerie serve` in a process that ends with its owner. The folder of its history and keys may outlive
/// it.
package final class ServiceProcess: Sendable {
    package let folder: TemporaryFolder
    private let process: Process
    private let logFile: URL
    private let foundPort = Mutex<Int?>(nil)

    package var identifier: Int32 { process.processIdentifier }
    package var dataDirectory: String { folder.path + "/data" }

    /// - Parameters:
    ///   - folder: the data of an earlier process. Nil makes a new folder.
    ///   - settings: settings for `--set`. The port is a free one by default.
    ///   - environment: variables in addition to those that the program needs. Other settings in the test's environment
    ///     are left out.
    package init(
        _ settings: [String: String] = [:], in folder: TemporaryFolder? = nil, environment: [String: String] = [:]
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        try CompiledModels.share(with: folder.path + "/data")
        logFile = URL(filePath: folder.path).appending(path: "log-\(UUID().uuidString)")
        try Data().write(to: logFile)
        process = Program.menagerie.process(
            ["serve", "--data-dir", folder.path + "/data", "--port", settings["http.port"] ?? "0"]
                + settings.filter { $0.key != "http.port" }.sorted { $0.key < $1.key }
                .flatMap { ["--set", "\($0.key)=\($0.value)"] },
            environment: environment)
        process.standardError = try FileHandle(forWritingTo: logFile)
        process.standardOutput = process.standardError
        try process.run()
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// The text written so far to standard output and to the log.
    package var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    /// Waits until the service listens.
    ///
    /// - Returns: its port.
    package func port() async throws -> Int {
        if let port = foundPort.withLock({ $0 }) { return port }
        while true {
            if let match = log.firstMatch(of: #/Listening .*address=[^ ]*:(\d+) /#) {
                let port = try #require(Int(match.1))
                foundPort.withLock { $0 = port }
                return port
            }
            try #require(process.isRunning, "\(log)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Sends SIGTERM, as a service manager does.
    package func terminate() { process.terminate() }

    package func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

    /// Kills the process as a power cut would, and waits until it is gone.
    package func kill() async throws {
        let process = process
        try await onThread {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Waits for the end.
    ///
    /// - Returns: the exit code.
    package func exitCode() async throws -> Int32 {
        let process = process
        return try await onThread {
            process.waitUntilExit()
            try #require(process.terminationReason == .exit)
            return process.terminationStatus
        }
    }

    package func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> RawResponse {
        var head =
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return try #require(try await exchange(try await port(), Array((head + "\r\n").utf8) + body).last)
    }

    package func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String
    ) async throws -> RawResponse {
        try await request(method, target, headers: headers, body: Array(body.utf8))
    }

    /// Whether the history's write-ahead log is empty. Only closing the history empties it.
    package var historyIsClosed: Bool {
        let database = dataDirectory + "/history.sqlite"
        let log = try? FileManager.default.attributesOfItem(atPath: database + "-wal")[.size] as? Int
        return FileManager.default.fileExists(atPath: database) && (log ?? 0) == 0
    }
}
