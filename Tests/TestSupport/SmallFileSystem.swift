import Foundation

/// A small file system (tmpfs) in a folder. Only root can make one.
package final class SmallFileSystem: Sendable {
    private let path: String

    /// The reason why none can be made here. Nil if it is possible.
    package static let obstacle: String? = {
        guard geteuid() == 0 else { return "mounting a file system needs root" }
        guard let folder = try? TemporaryFolder(), let trial = try? SmallFileSystem(at: folder.path, megabytes: 1)
        else {
            return "mount -t tmpfs is not permitted here"
        }
        trial.unmount()
        return nil
    }()

    /// - Parameter path: an existing folder.
    package init(at path: String, megabytes: Int) throws {
        self.path = path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", path)
    }

    package func remount(readOnly: Bool) throws {
        try Self.run("mount", "-o", readOnly ? "remount,ro" : "remount,rw", path)
    }

    package func enlarge(toMegabytes megabytes: Int) throws {
        try Self.run("mount", "-o", "remount,size=\(megabytes)m", path)
    }

    /// Fills the disk to the last byte with a file.
    package static func fill(_ path: String) {
        let file = fopen(path, "a")
        defer { fclose(file) }
        setvbuf(file, nil, _IONBF, 0)
        for size in [1 << 16, 1 << 12, 1 << 8, 1] {
            let bytes = [UInt8](repeating: 7, count: size)
            while fwrite(bytes, 1, size, file) == size {}
        }
    }

    package func unmount() {
        try? Self.run("umount", "-l", path)
    }

    private static func run(_ arguments: String...) throws {
        // `Process.waitUntilExit()` has been seen to hang after the end of umount.
        var names = arguments.map { strdup($0) } + [nil]
        defer { names.forEach { free($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        var status: Int32 = -1
        if posix_spawnp(&process, arguments[0], &actions, nil, &names, nil) == 0 {
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        guard status == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: arguments.joined(separator: " ")])
        }
    }
}
