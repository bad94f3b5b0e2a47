import API
import ArgumentParser
import CSystemCalls
import Foundation
import HTTP
import Logging
import ServiceLifecycle
import Telemetry

/// `menagerie serve`: runs the HTTP service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves the HTTP interface and the web page until SIGTERM or SIGINT.",
        discussion: Settings.help)

    @Option(name: .long, help: "Address to listen on; same as http.host.")
    var host: String?

    @Option(name: .long, help: "TCP port, 0 for a free one; same as http.port.")
    var port: String?

    @Flag(
        name: .long,
        help: """
            Runs the service in the background. Returns when the service answers, or with the error if it cannot. See \
            `menagerie status` and `menagerie stop`.
            """)
    var detach = false

    @Flag(
        name: .long,
        help: """
            Serves phones in this network over HTTPS, with a certificate made here and a key. Prints the address and \
            the key, also as a QR code.
            """)
    var lan = false

    @Option(name: .long, help: .hidden)
    var starter: CInt?

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let given = [Settings.host.name: host, Settings.port.name: port]
        var settings = try options.load(given)
        // With `--detach`, the background process sets up the local network itself.
        let network = lan && !detach ? try await LocalNetwork(settings) : nil
        if let network { settings = try options.load(given.merging(network.flags(settings)) { $1 }) }
        if detach { return try await failing { try startInBackground(settings) } }
        // A reload before the service listens would end it. Keys and certificates are read during the start anyway.
        signal(SIGHUP, SIG_IGN)
        FreedMemory.keep()
        if !settings[Settings.debuggable] { _ = menagerie_set_debuggable(0) }
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        let logger = Logger(label: "menagerie")
        do {
            let announcer = Announcer(file: try pidFile(settings, logger: logger), starter: starter)
            defer { announcer.stopped() }
            let application = try await Application.start(settings, logger: logger, log: log, network: network)
            try await application.run(announcer)
        } catch {
            logger.critical("The service cannot run", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
    }

    /// In the foreground, the service also runs without the file, because replicas may share a data directory.
    private func pidFile(_ settings: Settings, logger: Logger) throws -> PIDFile? {
        let directory = try DataDirectory(settings).path
        do throws(PIDFileError) {
            return try PIDFile(in: directory)
        } catch {
            guard starter == nil else { throw error }
            // Only PostgreSQL records which service works on which film.
            if case .taken = error, settings[Settings.historyBackend] == "sqlite" {
                logger.warning(
                    "Another service uses this data directory: films and trainings may be done twice, or fail",
                    metadata: ["other": "\(error)"])
            } else {
                logger.info("Not to be found by menagerie status", metadata: ["reason": "\(error)"])
            }
            return nil
        }
    }

    private func startInBackground(_ settings: Settings) throws {
        let directory = try DataDirectory(settings).path
        if let other = try RunningService(in: directory) { throw PIDFileError.taken(other) }
        let log = try StateLog(environment: ProcessInfo.processInfo.environment, fallback: directory)
        let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--detach" }
        let start = DetachedStart(arguments: arguments + ["--starter", "\(DetachedStart.starter)"], log: log)
        switch try start.run() {
        case .ready(let process, let urls):
            print("Menagerie answers at \(urls) (process \(process), log \(log.path)).")
        case .starting(let process):
            throw SettingsError("The service, process \(process), is still starting; its log is \(log.path).")
        case .ended(let status):
            let lines = log.tail(lines: 20).map { "    \($0)\n" }.joined()
            throw SettingsError("The service ended with status \(status); its log (\(log.path)):\n\(lines)")
        }
    }
}

extension LoggingSystem {
    /// Makes every logger of the process write to standard error, as the settings say.
    ///
    /// - Returns: the writer, to be flushed before the process ends.
    static func bootstrap(_ settings: Settings) -> LogWriter {
        let level = Logger.Level(rawValue: settings[Settings.logLevel]) ?? .info
        let format = LogFormat(rawValue: settings[Settings.logFormat]) ?? .text
        let writer = LogWriter(format: format, capacity: settings[Settings.logBuffer])
        bootstrap { LineLogHandler(label: $0, level: level, writer: writer) }
        return writer
    }
}
