import ArgumentParser
import Base
import Foundation
import Logging
import Storage
import Telemetry
import UnixSignals

/// A command that works on the history. The service may run meanwhile.
protocol HistoryCommand: AsyncParsableCommand, Sendable {
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
                try await stoppable { try await run(settings) }
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

/// Runs the body. SIGINT and SIGTERM cancel it, so that it removes what is unfinished. A second one ends the program.
///
/// - Throws: the exit status that shells give a signal, if the body failed after one.
private func stoppable(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let work = Task { try await body() }
    let stopped = Locked<Int32?>(nil)
    let watch = Task {
        for await signal in signals {
            let status = 128 + signal.rawValue
            guard stopped.withLock({ exchange(&$0, with: status) }) == nil else { _exit(status) }
            work.cancel()
        }
    }
    defer { watch.cancel() }
    do {
        try await work.value
    } catch {
        if let status = stopped.withLock({ $0 }) { throw ExitCode(status) }
        throw error
    }
}
