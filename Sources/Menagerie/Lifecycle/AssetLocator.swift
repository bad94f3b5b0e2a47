import Base
import Foundation

/// Finds the folders that come with the program: `Models` and `Public`.
enum AssetLocator {
    /// The configured folder, or the nearest one of that name in the program's own folder or above it.
    ///
    /// `.build/release/menagerie` finds the folders at the package's root, `/opt/menagerie/bin/menagerie` those in
    /// `/opt/menagerie`.
    /// - Throws: ``SettingsError`` that names the setting to use.
    static func directory(_ name: String, configured setting: Setting<String>, in settings: Settings) throws -> URL {
        let configured = settings[setting]
        if !configured.isEmpty {
            let directory = URL(fileURLWithPath: configured, isDirectory: true)
            guard FileSystem.isDirectory(directory.path) else {
                throw SettingsError("\(setting.name): there is no folder \(configured).")
            }
            return directory
        }
        guard let directory = bundled(name) else {
            throw SettingsError("There is no folder \(name) beside the program or above it; set \(setting.name).")
        }
        return directory
    }

    /// The folder that came with the program. Nil if there is none.
    static func bundled(_ name: String) -> URL? {
        var place = executable.deletingLastPathComponent()
        while true {
            let candidate = place.appendingPathComponent(name, isDirectory: true)
            if FileSystem.isDirectory(candidate.path) { return candidate }
            let parent = place.deletingLastPathComponent()
            if parent.path == place.path { return nil }
            place = parent
        }
    }

    /// The program's own file.
    static var executable: URL {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: link ?? CommandLine.arguments.first ?? ".")
    }
}
