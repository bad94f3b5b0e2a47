import Foundation

/// The file to which a service in the background writes its log: `$XDG_STATE_HOME/menagerie/menagerie.log`, which only
/// its owner can read.
struct StateLog {
    let path: String
    /// Where to write: an open file, always at its end.
    let descriptor: CInt
    /// Its size in bytes before the service that is about to be started has written anything.
    let start: Int

    /// Bytes beyond which the log is put aside as `menagerie.log.1` at the next start.
    static let rotationBytes = 16_777_216

    /// Makes the file, and its folder, where they are missing.
    ///
    /// - Parameters:
    ///   - environment: that of the process (XDG Base Directory Specification 0.8).
    ///   - fallback: the folder for a process without a home.
    /// - Throws: ``SettingsError`` that says which file cannot be written, and why.
    init(environment: [String: String], fallback: String) throws(SettingsError) {
        let folder = Self.folder(environment) ?? fallback
        path = folder + "/menagerie.log"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SettingsError("The folder \(folder) of the log cannot be made: \(error.localizedDescription)")
        }
        if Self.size(path) > Self.rotationBytes { rename(path, path + ".1") }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingsError("The log \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        fchmod(descriptor, 0o600)
        start = Self.size(path)
    }

    /// What was written since, its last lines.
    func tail(lines: Int) -> [String] {
        guard let file = FileHandle(forReadingAtPath: path), (try? file.seek(toOffset: UInt64(start))) != nil,
            let data = try? file.readToEnd()
        else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(lines).map(String.init)
    }

    /// A path that is not absolute is ignored, as the specification says.
    private static func folder(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/menagerie" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.local/state/menagerie"
    }

    private static func size(_ path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
    }
}
