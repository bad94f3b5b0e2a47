import Foundation

@testable import History

/// A small file system of its own (tmpfs), which only root can make.
final class TestFileSystem: Sendable {
    let directory: TemporaryDirectory

    /// Why there can be none here; nil when there can.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "mounting a file system needs root" }
        guard let trial = try? TestFileSystem(megabytes: 1) else { return "mount -t tmpfs is not permitted here" }
        trial.unmount()
        return nil
    }()

    init(megabytes: Int) throws {
        directory = try TemporaryDirectory()
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", directory.path)
    }

    func remount(readOnly: Bool) throws {
        try Self.run("mount", "-o", readOnly ? "remount,ro" : "remount,rw", directory.path)
    }

    func enlarge(toMegabytes megabytes: Int) throws {
        try Self.run("mount", "-o", "remount,size=\(megabytes)m", directory.path)
    }

    func unmount() {
        try? Self.run("umount", "-l", directory.path)
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw HistoryError.unavailable(arguments.joined(separator: " ")) }
    }
}
