import ArgumentParser
import Foundation
import History
import Logging
import Telemetry

/// A command that works on the history beside the service, which may run meanwhile.
protocol HistoryCommand: AsyncParsableCommand {
    var options: SettingsOptions { get }

    /// Does the work and prints what came of it.
    func run(on history: HistoryStore) async throws
}

extension HistoryCommand {
    func run() async throws {
        let settings = try options.load()
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        do {
            let history = try await HistoryStore.open(
                HistoryConfiguration(settings), logger: Logger(label: "menagerie.history"))
            do {
                try await run(on: history)
            } catch {
                try? await history.close()
                throw error
            }
            try await history.close()
        } catch let error as ExitCode {
            throw error
        } catch {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}
