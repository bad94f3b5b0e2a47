import Foundation
import History
import Logging

/// The folder of the history: the one that was configured, otherwise the platform's.
///
/// The platform's is `menagerie` in `$XDG_DATA_HOME`, otherwise in `~/.local/share` (XDG Base Directory Specification
/// 0.8). It used to be `data` in the current directory: a history that is there is still used, unless the platform's
/// folder holds one as well.
struct DataDirectory: Sendable {
    let path: String
    /// What its owner has to know about a history in the current directory; nil where there is none.
    let notice: String?

    /// - Parameters:
    ///   - environment: of the process: `XDG_DATA_HOME` and `HOME` matter.
    ///   - currentDirectory: where a folder `data` of old is looked for.
    /// - Throws: ``SettingsError`` where nothing says which folder it is.
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
        let platform = Self.platform(environment)
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

    /// Tells the notice, if there is one.
    func log(_ logger: Logger) {
        if let notice { logger.notice("\(notice)", metadata: ["directory": "\(path)"]) }
    }

    /// A path that is not absolute is to be ignored, says the specification.
    private static func platform(_ environment: [String: String]) -> String? {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/menagerie" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/share/menagerie" }
        return nil
    }

    /// With PostgreSQL there are only photos.
    private static func holdsHistory(_ directory: String) -> Bool {
        ["history.sqlite", "photos/incoming"].contains {
            FileManager.default.fileExists(atPath: "\(directory)/\($0)")
        }
    }
}
