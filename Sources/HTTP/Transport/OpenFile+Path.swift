import Glibc

extension FileRegion {
    /// Opens a regular file for reading and takes the part that begins at `offset`.
    /// - Parameter length: the length in bytes; nil means everything after `offset`.
    package init(path: String, offset: Int = 0, length: Int? = nil) throws(SystemCallError) {
        let file = try OpenFile(path: path)
        let available = max(0, file.size - offset)
        self.init(file: file, offset: offset, length: min(length ?? available, available))
    }
}

extension OpenFile {
    /// Opens a regular file for reading.
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
}
