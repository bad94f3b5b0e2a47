import ArgumentParser
import Base
import Foundation
import History

/// `menagerie backup DIR`: copies the history while the service runs.
struct BackupCommand: HistoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the history, with its photos, to a new folder.",
        discussion: """
            The service may run meanwhile. The copy is an SQLite history whatever the backend is: `menagerie restore` \
            adds it to another one, and `menagerie serve --data-dir` serves it as it is. Exits with 1 when photos were \
            missing or damaged; everything else is copied all the same.
            """)

    @Argument(help: "Folder to be made.")
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
            Scans come back whatever was deleted since; those that are there already are named and left alone, so it may \
            be run again. Where there is no history yet, one is made. Exits with 1 when the backup itself lacks photos; \
            everything else is restored all the same.
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
        discussion: "Prints each problem; exits with 1 when there is one.")

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
