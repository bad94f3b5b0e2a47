import Base
import Foundation
import Glibc

extension Data {
    /// The bytes of a file, or of a pipe that the shell gives as `/dev/stdin` or `/dev/fd/63`.
    /// - Parameter limit: the number of bytes to read of a longer file.
    init(ofFile path: String, upTo limit: Int = .max) throws(SettingsError) {
        let file = try FileHandle.reading(path)
        do {
            self = try file.read(upToCount: limit) ?? Data()
        } catch {
            throw SettingsError("It cannot be read: \(error.localizedDescription)")
        }
    }
}

extension FileHandle {
    /// Opens a file, or a pipe of the shell, for reading.
    /// - Throws: the reason in a sentence that goes behind the file's name.
    static func reading(_ path: String) throws(SettingsError) -> FileHandle {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.unreadable(path, errno) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR, access(path, R_OK | X_OK) != 0 { throw Self.unreadable(path, errno) }
        // A device may never end, and a pipe of another place may never begin.
        guard kind == S_IFREG || kind == S_IFIFO && FileSystem.isDevice(path) else {
            throw SettingsError("It is not a readable file.")
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw Self.unreadable(path, errno) }
        return file
    }

    private static func unreadable(_ path: String, _ code: Int32) -> SettingsError {
        switch code {
        // Swift reads such names of a folder with this character in the place of what is not UTF-8.
        case ENOENT where path.contains("\u{FFFD}"):
            SettingsError("There is no such file, or its name is not UTF-8; then rename it.")
        case ENOENT: SettingsError("There is no such file.")
        case EACCES: SettingsError("The permission to read it is missing.")
        default: SettingsError("It cannot be read: \(ProcessError.text(code)).")
        }
    }
}
