import ArgumentParser
import Base
import Foundation

/// `menagerie stop`: ends the service of a data directory.
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stops the service of the data directory and waits until it has ended.",
        discussion: """
            Running requests are answered first (http.drain_timeout_s). Exits with 1 if no service runs there or it \
            does not end.
            """)

    /// The extra time after requests have finished, in seconds. Storing and closing the history takes a moment.
    private static let grace = 30.0

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try options.load()
        try await failing {
            let directory = try DataDirectory(settings).path
            guard let service = try RunningService(in: directory) else {
                throw SettingsError("No service runs on the data directory \(directory).")
            }
            guard service.process > 0 else {
                throw SettingsError("The service belongs to another container, which has to stop it.")
            }
            guard kill(service.process, SIGTERM) == 0 || errno == ESRCH else {
                throw SettingsError(
                    "The service, process \(service.process), cannot be stopped: \(ProcessError.text(errno)).")
            }
            let patience = settings[Settings.drainTimeout] + Self.grace
            let deadline = ContinuousClock.now + .seconds(patience)
            // The service releases the data directory shortly before its process ends.
            while try RunningService(in: directory)?.process == service.process || !Self.hasEnded(service.process) {
                guard .now < deadline else {
                    throw SettingsError("The service, process \(service.process), still runs after \(Int(patience)) s.")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            print("Stopped process \(service.process).")
        }
    }

    /// Whether a process is gone, or is a zombie that its parent has not reaped.
    private static func hasEnded(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0 || errno == EPERM else { return true }
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return state?.contains(") Z ") ?? true
    }
}

/// `menagerie status`: prints whether the service of a data directory runs, and its addresses.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says whether a service runs on the data directory, and where it answers.",
        discussion: "Exits with 0 when it answers, 4 while it starts, 3 when none runs.")

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try options.load()
        try await failing {
            let directory = try DataDirectory(settings).path
            guard let service = try RunningService(in: directory) else {
                print("No service runs on the data directory \(directory).")
                throw ExitCode(3)
            }
            print("Menagerie runs: \(service).")
            if let log = service.log { print("Its log is \(log).") }
            if service.urls.isEmpty { throw ExitCode(4) }
        }
    }
}
