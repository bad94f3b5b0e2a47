import Foundation
import Testing

/// Real files outside the repository, in `$SHARED_FOLDER` or `../shared` beside the package.
enum SharedFiles {
    static let root: String = {
        if let path = ProcessInfo.processInfo.environment["SHARED_FOLDER"] { return path }
        let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/" + package + "/../shared"
    }()

    /// The condition for tests that need them.
    static var areThere: Bool { FileManager.default.fileExists(atPath: root + "/conformance/images") }
    static let hint: Comment = "needs the shared files: set SHARED_FOLDER or put them at ../shared"

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: root + "/" + path)))
    }

    /// Every file below a folder, as sorted relative paths.
    static func files(below folder: String) -> [String] {
        (FileManager.default.subpaths(atPath: root + "/" + folder) ?? []).sorted().map { folder + "/" + $0 }.filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root + "/" + $0, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}
