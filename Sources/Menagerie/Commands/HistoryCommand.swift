import ArgumentParser
import Foundation
import Logging
import Storage
import Telemetry

/// A command that works on the history. The service may run meanwhile.
protocol HistoryCommand: AsyncParsableCommand {
    var options: SettingsOptions { get }
    /// Whether a missing history is created, as `serve` does. Otherwise it is an error.
    static var makesHistory: Bool { get }
    /// A sentence that says what to do if there is no history.
    static var remedy: String { get }

    /// Makes checks that do not need the history.
    func prepare(_ configuration: HistoryConfiguration) throws
    /// Does the work and prints the result.
    func run(on history: HistoryStore) async throws
}

extension HistoryCommand {
    static var makesHistory: Bool { false }

    static var remedy: String { "Name its folder with --data-dir or \(Settings.dataDirectory.name)." }

    func prepare(_ configuration: HistoryConfiguration) throws {}

    func run() async throws {
        try await options.run { settings in
            do {
                try await run(settings)
            } catch let error as HistoryError {
                guard case .noHistory = error else { throw error }
                throw SettingsError("\(error) \(Self.remedy)")
            }
        }
    }

    private func run(_ settings: Settings) async throws {
        try DataDirectory(settings).log(Logger(label: "menagerie"))
        var configuration = try HistoryConfiguration(settings)
        configuration.mustExist = !Self.makesHistory
        try prepare(configuration)
        let history = try await HistoryStore.open(configuration, logger: Logger(label: "menagerie.history"))
        try await closing(history.close) { try await run(on: history) }
    }
}
