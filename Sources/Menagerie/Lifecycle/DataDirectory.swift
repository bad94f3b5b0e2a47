import Foundation
import Logging
import Storage

/// The folder of the history: the configured one, otherwise the platform's.
///
/// The platform's is `menagerie` in `$XDG_DATA_HOME`, otherwise in `~/.local/share` (XDG Base Directory Specification
/// 0.8). Earlier releases used `data` in the current directory. A history there is still used, unless the platform's
/// folder has one too.
struct DataDirectory: Sendable {
    let path: String
    /// A note for the owner about a history in the current directory. Nil if there is none.
    let notice: String?

    /// - Parameters:
    ///   - environment: provides `XDG_DATA_HOME` and `HOME`.
    ///   - currentDirectory: may contain the folder `data` of an earlier release.
    /// - Throws: ``SettingsError`` if no source determines the folder.
    init(
        _ settings: Settings, environment: [String: String] = ProcessInfo.processInfo.environment,
        currentDirectory: String = FileManager.default.currentDirectoryPath
    ) throws(SettingsError) {
        let configured = settings[Settings.dataDirectory]
        guard configured.isEmpty else {
            (path, notice) = (configured, nil)
            return
        }
        let old = currentDirectory + "/data"
        let platform = Self.folder("XDG_DATA_HOME", orInHome: ".local/share", environment)
        guard Self.holdsHistory(old) else {
            guard let platform else {
                throw SettingsError(
                    "Neither XDG_DATA_HOME nor HOME names a folder for the history: set \(Settings.dataDirectory.name) "
                        + "or --data-dir.")
            }
            (path, notice) = (platform, nil)
            return
        }
        if let platform, Self.holdsHistory(platform) {
            path = platform
            notice =
                "There is a history in \(old) too, which is not used: `menagerie restore \(old)` adds its scans to "
                + "the one in use."
        } else {
            path = old
            let target = platform ?? "~/.local/share/menagerie"
            notice =
                "The history in \(old) is used. To move it where it is found from every folder, stop Menagerie and run: "
                + "mkdir -p \(target) && mv \(old)/history.sqlite* \(old)/photos \(target)/"
        }
    }

    /// Logs the notice, if there is one.
    func log(_ logger: Logger) {
        if let notice { logger.notice("\(notice)", metadata: ["directory": "\(path)"]) }
    }

    /// The folder `menagerie` in the one that a variable of the specification names, or else in a folder of the home.
    /// The specification says that paths must be absolute and others are ignored.
    static func folder(_ variable: String, orInHome home: String, _ environment: [String: String]) -> String? {
        if let folder = environment[variable], folder.hasPrefix("/") { return folder + "/menagerie" }
        guard let user = environment["HOME"], user.hasPrefix("/") else { return nil }
        return "\(user)/\(home)/menagerie"
    }

    /// Whether the folder has a history. With PostgreSQL it has only photos.
    private static func holdsHistory(_ directory: String) -> Bool {
        ["history.sqlite", "photos/incoming"].contains {
            FileManager.default.fileExists(atPath: "\(directory)/\($0)")
        }
    }
}
