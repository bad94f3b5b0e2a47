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

    deinit {
        _ = close(descriptor)
    }
}
