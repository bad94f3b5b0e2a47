import ArgumentParser
import Base
import Foundation
import Storage

/// `menagerie backup DIR`: copies the history while the service runs.
struct BackupCommand: HistoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the history, with its photos, to a new folder.",
        discussion: """
            The service may run meanwhile. The copy is always an SQLite history: `menagerie restore` adds it to another \
            one, and `menagerie serve --data-dir` serves it directly. Exits with 1 if photos were missing or damaged. \
            Everything else is still copied.
            """)

    @Argument(help: "New folder for the copy.")
    var directory: String

    @OptionGroup var options: SettingsOptions

    func run(on history: HistoryStore) async throws {
        let summary = try await history.backup(to: directory)
        print("Copied \(counted(summary.scans, "scan")) and \(counted(summary.files, "photo")) to \(directory).")
        for problem in summary.problems { print(problem) }
        if !summary.problems.isEmpty { throw ExitCode.failure }
    }
}

/// `menagerie restore DIR`: restores a backup into the history.
struct RestoreCommand: HistoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Adds the scans, photos and favourites of a backup to the history.",
        discussion: """
            Scans that were deleted since the backup are restored too. Existing ones are listed and left alone, so it may \
            be run again. A missing history is created. Exits with 1 if the backup itself lacks photos. Everything else \
            is still restored.
            """)

    static let makesHistory = true
    static let remedy = "Name a folder that `menagerie backup` made."

    @Argument(help: "Folder that `menagerie backup` made.")
    var directory: String

    @OptionGroup var options: SettingsOptions

    func prepare(_ configuration: HistoryConfiguration) throws {
        try HistoryConfiguration(directory: directory).requireHistory()
        let (source, target) = (URL(fileURLWithPath: directory), URL(fileURLWithPath: configuration.directory))
        guard source.resolvingSymlinksInPath().standardized.path != target.resolvingSymlinksInPath().standardized.path
        else {
            throw ValidationError("\(directory) is the history itself; name a folder that `menagerie backup` made.")
        }
    }

    func run(on history: HistoryStore) async throws {
        let summary = try await history.restore(from: directory) { id, reason in print("Skipped \(id): \(reason).") }
        for problem in summary.problems { print(problem) }
        print(
            "Restored \(counted(summary.restored, "scan")) and \(counted(summary.favourites, "favourite")) from "
                + "\(directory); skipped \(summary.skipped).")
        if !summary.problems.isEmpty { throw ExitCode.failure }
    }
}

/// `menagerie check`: checks database and photos for damage.
struct CheckCommand: HistoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Checks the history: the database, and the digest of every photo.",
        discussion: "Prints each problem. Exits with 1 if there is one.")

    @OptionGroup var options: SettingsOptions

    func run(on history: HistoryStore) async throws {
        let report = try await history.checkIntegrity()
        for problem in report.problems { print(problem) }
        print(
            "Checked \(counted(report.scans, "scan")) and \(counted(report.photos, "photo")): "
                + "\(counted(report.problems.count, "problem")).")
        if !report.problems.isEmpty { throw ExitCode.failure }
    }
}
