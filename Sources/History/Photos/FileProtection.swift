internal import Base
internal import Foundation
internal import Logging

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Sees to it that people's photos and scans are readable by the owner of the files only.
///
/// Files and folders of ours are made that way. What SQLite makes (0644 unless the umask says otherwise) and what came
/// from elsewhere, such as a folder that was copied, is brought to it.
enum FileProtection {
    /// What was found and mended.
    struct Outcome: Hashable, Sendable {
        /// Files and folders that others could read before.
        var tightened = 0
        /// Paths that belong to somebody else.
        var refused: [String] = []
    }

    /// Makes an empty file for a database unless there is one: its log and its index get the rights of the file.
    static func createDatabase(_ path: String) throws(HistoryError) {
        guard let descriptor = try onDisk(FileSystem.createIfAbsent(path, [])) else { return }
        FileSystem.closeDescriptor(descriptor)
    }

    /// Takes the rights of everyone but the owner from the database and the photos of a history.
    ///
    /// The folder of the history itself stays as it is: it may be one that its owner shares for other reasons. Blocks.
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
            // Nobody reaches what is in a closed folder: a walk over a million photos is for one that was open.
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
