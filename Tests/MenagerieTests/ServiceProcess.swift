import Foundation
import TestSupport
import Testing

/// The program itself, `menagerie serve`, in a process of its own with a history in a temporary folder.
final class ServiceProcess: Sendable {
    let folder: TemporaryFolder
    private let process: Process
    private let logFile: URL

    /// - Parameter settings: flags of `--set`; the port is a free one unless they say.
    init(_ settings: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        logFile = URL(filePath: folder.path).appending(path: "log")
        try Data().write(to: logFile)
        process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "menagerie")
        process.arguments =
            ["serve", "--data-dir", folder.path + "/data", "--port", settings["http.port"] ?? "0"]
            + settings.filter { $0.key != "http.port" }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        // The service takes every MENAGERIE_… for a setting.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MENAGERIE_") }
        process.standardError = try FileHandle(forWritingTo: logFile)
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    /// Waits until it listens.
    func port() async throws -> Int {
        while true {
            if let match = log.firstMatch(of: #/Listening address=[^ ]*:(\d+) /#) { return try #require(Int(match.1)) }
            try #require(process.isRunning, "\(log)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func terminate() { process.terminate() }

    /// Waits for its end and returns its exit code.
    func exitCode() async throws -> Int32 {
        let process = process
        return try await onThread {
            process.waitUntilExit()
            try #require(process.terminationReason == .exit)
            return process.terminationStatus
        }
    }

    /// Whether there is a history whose write-ahead log was emptied into the database: only closing does that.
    var historyIsClosed: Bool {
        let database = folder.path + "/data/history.sqlite"
        let log = try? FileManager.default.attributesOfItem(atPath: database + "-wal")[.size] as? Int
        return FileManager.default.fileExists(atPath: database) && (log ?? 0) == 0
    }
}
