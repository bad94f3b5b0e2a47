import ArgumentParser
import Base
import Foundation
import Logging
import Telemetry

/// The flags that every command with settings shares.
struct SettingsOptions: ParsableArguments, Sendable {
    @Option(name: .long, help: "Settings file (JSON, comments allowed); see `menagerie config`.")
    var config: String?

    @Option(name: .customLong("data-dir"), help: "Folder of the history; same as history.data_directory.")
    var dataDirectory: String?

    @Option(name: .customLong("log-level"), help: "Least severe log messages; same as log.level.")
    var logLevel: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Any setting, such as --set recognition.max_queue_size=8.", valueName: "name=value"))
    var assignments: [String] = []

    /// Reads all sources. `flags` are the command's own.
    func load(_ flags: [String: String?] = [:]) throws -> Settings {
        var given = flags.compactMapValues { $0 }
        given[Settings.dataDirectory.name] = dataDirectory
        given[Settings.logLevel.name] = logLevel
        let flagged = given
        for assignment in assignments {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count == 2, Settings.isName(parts[0]) else {
                throw ValidationError(
                    "--set \(assignment): no such setting; write --set name=value."
                        + Settings.suggestion(for: parts.first ?? ""))
            }
            guard flagged[parts[0]] == nil else {
                throw ValidationError("--set \(assignment): a flag of its own sets it too; one of them is to go.")
            }
            given[parts[0]] = parts[1]
        }
        do {
            return try Settings(flags: given, environment: ProcessInfo.processInfo.environment, file: config)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// Runs a command's work with its settings and its log. An error goes to standard error, and the program exits
    /// with 1.
    ///
    /// - Parameter subject: what the error is about, such as a file.
    func run(_ subject: String = "Error", _ work: (Settings) async throws -> Void) async throws {
        let settings = try load()
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        try await failing(subject) { try await work(settings) }
    }
}

/// Runs the body. An error of it goes to standard error, and the program exits with 1.
func failing(_ subject: String = "Error", _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let code as ExitCode {
        throw code
    } catch {
        // Foundation's own description names its classes.
        printError("\(subject): \((error as? CocoaError)?.localizedDescription ?? "\(error)")")
        throw ExitCode.failure
    }
}

/// Runs the body, then closes what it used, also after an error.
func closing<Value>(_ close: () async throws -> Void, after body: () async throws -> Value) async throws -> Value {
    let value: Value
    do {
        value = try await body()
    } catch {
        try? await close()
        throw error
    }
    try await close()
    return value
}

extension Result where Failure == any Error {
    /// The result of the body.
    static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

/// Refuses an empty path for a new file, and one where something other than a file is: a folder, a pipe, a device such
/// as /dev/null. A new file would take its place for every program.
func checkReplaceable(_ path: String?, of option: String) throws {
    guard path?.isEmpty != true, path?.hasSuffix("/") != true else {
        throw ValidationError("\(option) has to name a file.")
    }
    guard let path, !FileSystem.isReplaceable(path) else { return }
    throw ValidationError("\(option) \(path): there is something other than a file; name a new file.")
}

/// Prints lines to standard error. What they quote, such as names of files, cannot steer the terminal.
func printError(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        writeError(String(line).replacing("\t", with: "    ").printable + "\n")
    }
}

/// Writes to standard error. A full disk or a closed descriptor loses the text and nothing else.
@Sendable func writeError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

extension Language: ExpressibleByArgument {}
