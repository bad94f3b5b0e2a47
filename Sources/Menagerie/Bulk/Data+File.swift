import Base
import Foundation
import Glibc

extension Data {
    /// The bytes of a file, or of a pipe that the shell gives as `/dev/stdin` or `/dev/fd/63`.
    init(ofFile path: String) throws(SettingsError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.unreadable(errno) }
        let kind = status.st_mode & S_IFMT
        // A device may never end, and a pipe of another place may never begin.
        guard kind == S_IFREG || kind == S_IFIFO && path.hasPrefix("/dev/") else {
            throw SettingsError("It is no file that can be read.")
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw Self.unreadable(errno) }
        do {
            self = try file.readToEnd() ?? Data()
        } catch {
            throw SettingsError("It cannot be read: \(error.localizedDescription)")
        }
    }

    private static func unreadable(_ code: Int32) -> SettingsError {
        switch code {
        case ENOENT: SettingsError("There is no such file.")
        case EACCES: SettingsError("The permission to read it is missing.")
        default: SettingsError("It cannot be read: \(ProcessError.text(code)).")
        }
    }
}
