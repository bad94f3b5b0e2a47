import Foundation

/// Compiled models that all tests share, beside the program. Compiling takes most of a first start. A folder holds a few
/// only, and no program reads those of another, so the programs that tests start have another folder than the tests.
package enum CompiledModels {
    /// `XDG_DATA_HOME` and `XDG_CACHE_HOME` of programs, so that tests do not read the developer's own history and models.
    static let home = Program.menagerie.url.deletingLastPathComponent().appending(path: "test-data").path

    package static let folder = made("tests")

    private static let ofPrograms = made("menagerie")

    private static func made(_ owner: String) -> String {
        let folder = "\(home)/\(owner)/compiled"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Links those of programs into the data of a service that has none.
    package static func share(with dataDirectory: String) throws {
        let own = dataDirectory + "/compiled"
        guard !FileManager.default.fileExists(atPath: own) else { return }
        try FileManager.default.createDirectory(
            atPath: dataDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: ofPrograms)
    }
}
