import Glibc

/// A part of a file, which is sent in pieces and never read whole.
package struct FileRegion: Sendable {
    /// The file. It is closed when the last reference to it goes.
    package let file: OpenFile
    /// In bytes from the start of the file.
    package let offset: Int
    /// In bytes.
    package let length: Int
}

/// Owns a descriptor that is open for reading.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    /// The size in bytes at the time of opening.
    package let size: Int

    /// Takes over a descriptor and closes it at the end of its own life.
    package init(takingOver descriptor: CInt, size: Int) {
        self.descriptor = descriptor
        self.size = size
    }

    deinit {
        _ = close(descriptor)
    }
}
