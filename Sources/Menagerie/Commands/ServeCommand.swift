import API
import ArgumentParser
import Foundation
import HTTP
import Logging
import ServiceLifecycle

/// `menagerie serve`: the HTTP service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves the HTTP interface and the web page until SIGTERM or SIGINT.",
        discussion: Settings.help)

    @Option(name: .long, help: "Address to listen on; same as http.host.")
    var host: String?

    @Option(name: .long, help: "TCP port, 0 for a free one; same as http.port.")
    var port: String?

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        FreedMemory.keep()
        let settings = try options.load([Settings.host.name: host, Settings.port.name: port])
        LoggingSystem.bootstrap(settings)
        defer { LogWriter.standardError.flush() }
        let logger = Logger(label: "menagerie")
        do {
            let application = try await Application.start(settings, logger: logger)
            try await application.run()
        } catch {
            logger.critical("The service cannot run", metadata: ["error": "\(error)"])
            LogWriter.standardError.flush()
            throw ExitCode.failure
        }
    }
}

extension LoggingSystem {
    /// Has every logger of the process write as the settings say.
    static func bootstrap(_ settings: Settings) {
        let level = Logger.Level(rawValue: settings[Settings.logLevel]) ?? .info
        let format = LogFormat(rawValue: settings[Settings.logFormat]) ?? .text
        bootstrap { LineLogHandler(label: $0, level: level, format: format) }
    }
}
