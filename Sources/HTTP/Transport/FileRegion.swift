import Glibc

/// A part of a file, sent in pieces and never read whole.
package struct FileRegion: Sendable {
    /// An open file; it is closed when nobody refers to it any more.
    package let file: OpenFile
    /// In bytes from the start of the file.
    package let offset: Int
    /// In bytes.
    package let length: Int

    package init(file: OpenFile, offset: Int, length: Int) {
        self.file = file
        self.offset = offset
        self.length = length
    }

    /// Opens a regular file for reading and takes it from `offset` on.
    /// - Parameter length: in bytes; nil means all that follows `offset`.
    package init(path: String, offset: Int = 0, length: Int? = nil) throws(SystemCallError) {
        let file = try OpenFile(path: path)
        let available = max(0, file.size - offset)
        self.init(file: file, offset: offset, length: min(length ?? available, available))
    }
}

/// Owns a descriptor that is open for reading.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    /// In bytes, when it was opened.
    package let size: Int

    /// Takes over a descriptor, which is closed when this object goes.
    package init(takingOver descriptor: CInt, size: Int) {
        self.descriptor = descriptor
        self.size = size
    }

    package convenience init(path: String) throws(SystemCallError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemCallError(call: "open", code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let code = errno
            _ = close(descriptor)
            throw SystemCallError(call: "fstat", code: code == 0 ? EISDIR : code)
        }
        self.init(takingOver: descriptor, size: Int(status.st_size))
    }

    deinit {
        _ = close(descriptor)
    }
}
