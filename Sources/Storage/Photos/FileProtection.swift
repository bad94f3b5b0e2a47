internal import Base
internal import Foundation
internal import Glibc
internal import Logging

/// Restricts people's photos and scans to the owner of the files.
///
/// Menagerie creates its files and folders that way. SQLite creates files with mode 0644 unless the umask says
/// otherwise, and folders may be copied from elsewhere. This type corrects their modes.
enum FileProtection {
    struct Outcome: Hashable, Sendable {
        /// The number of files and folders that other users could read before.
        var tightened = 0
        /// Paths that belong to another user.
        var refused: [String] = []
    }

    /// Creates an empty file for a database if there is none. SQLite gives its log and index the mode of the file.
    static func createDatabase(_ path: String) throws(HistoryError) {
        try requireFile(path)
        guard let descriptor = try onDisk(FileSystem.createIfAbsent(path, [])) else { return }
        FileSystem.closeDescriptor(descriptor)
    }

    /// Throws `unavailable` for a pipe, a socket or a device. SQLite would wait for it for ever.
    static func requireFile(_ path: String) throws(HistoryError) {
        guard !FileSystem.mayBlock(path) else {
            throw .unavailable("\(path) is a pipe, a socket or a device, not a file; move it away")
        }
    }

    /// Takes access to the database and the photos of a history from everyone except the owner.
    ///
    /// The folder of the history keeps its mode, because its owner may share it for other reasons. Blocks.
    static func tighten(_ directory: String, logger: Logger) {
        let outcome = tighten(directory)
        if outcome.tightened > 0 {
            logger.notice(
                "The history is readable by its owner only from now on",
                metadata: ["directory": "\(directory)", "files": "\(outcome.tightened)"])
        }
        if let first = outcome.refused.first {
            logger.warning(
                "Others may read files of the history, which belong to another user: change their owner or rights",
                metadata: ["path": "\(first)", "files": "\(outcome.refused.count)"])
        }
    }

    static func tighten(_ directory: String) -> Outcome {
        var outcome = Outcome()
        for name in ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm", "history.sqlite-journal", "reserve"]
        {
            tighten("\(directory)/\(name)", &outcome)
        }
        for folder in ["photos", "imports", "videos"] {
            let path = "\(directory)/\(folder)"
            let before = outcome
            tighten(path, &outcome)
            // Files in a closed folder are out of reach. Walking a million photos is needed only if the folder was
            // open.
            guard outcome != before, let files = FileManager.default.enumerator(atPath: path) else { continue }
            for case let file as String in files { tighten("\(path)/\(file)", &outcome) }
        }
        return outcome
    }

    private static func tighten(_ path: String, _ outcome: inout Outcome) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK, status.st_mode & 0o077 != 0 else { return }
        if chmod(path, status.st_mode & 0o700) == 0 {
            outcome.tightened += 1
        } else {
            outcome.refused.append(path)
        }
    }
}
