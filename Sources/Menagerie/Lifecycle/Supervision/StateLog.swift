import Base
import Foundation

/// The log file of a service in the background: `$XDG_STATE_HOME/menagerie/menagerie.log`, which only its owner can
/// read.
struct StateLog {
    let path: String
    /// The open file. Writing always appends.
    let descriptor: CInt
    /// The size of the file before the new service writes to it, in bytes.
    let start: Int

    /// The size above which the log is renamed to `menagerie.log.1`, in bytes.
    static let rotationBytes = 16_777_216

    /// Makes the file and its folder if they are missing.
    ///
    /// - Parameters:
    ///   - environment: the environment of the process (XDG Base Directory Specification 0.8).
    ///   - fallback: the folder for a process without a home.
    /// - Throws: ``SettingsError`` that says which file cannot be written, and why.
    init(environment: [String: String], fallback: String) throws(SettingsError) {
        let folder = DataDirectory.folder("XDG_STATE_HOME", orInHome: ".local/state", environment) ?? fallback
        path = folder + "/menagerie.log"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SettingsError("The folder \(folder) of the log cannot be made: \(error.localizedDescription)")
        }
        if Self.size(path) > Self.rotationBytes { rename(path, path + ".1") }
        descriptor = Self.opened(path)
        guard descriptor >= 0 else {
            throw SettingsError("The log \(path) cannot be written: \(ProcessError.text(errno)).")
        }
        fchmod(descriptor, 0o600)
        start = Self.size(path)
    }

    private static func opened(_ path: String) -> CInt {
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Begins a new file if that of this process is too large, or another service with the same log has begun one.
    /// Blocks.
    ///
    /// - Parameter descriptors: those that write to the log.
    static func renew(_ path: String, descriptors: [CInt] = [2, 1]) {
        var own = stat()
        guard fstat(descriptors[0], &own) == 0 else { return }
        if FileSystem.inode(of: path) == UInt64(own.st_ino) {
            guard Int(own.st_size) > rotationBytes, rename(path, path + ".1") == 0 else { return }
        }
        let new = opened(path)
        guard new >= 0 else { return }
        for descriptor in descriptors { dup2(new, descriptor) }
        close(new)
    }

    /// The last lines written by the new service.
    func tail(lines: Int) -> [String] {
        guard let file = FileHandle(forReadingAtPath: path), (try? file.seek(toOffset: UInt64(start))) != nil,
            let data = try? file.readToEnd()
        else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(lines).map(String.init)
    }

    private static func size(_ path: String) -> Int { FileSystem.attributes(path)?.size ?? 0 }
}
