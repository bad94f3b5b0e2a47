internal import Foundation

/// One file of the journal: photos one behind the other, each with a header of 88 bytes before it.
///
/// The header: eight bytes that say what it is, the generation of the file, how many bytes the photo has (both 64 bits,
/// little endian), and its SHA-256 as 64 hexadecimal digits. A file is written over from its beginning again and again,
/// with a higher generation each time: what is left of an older one ends the reading. So does a photo that was not
/// written whole, of which the digest tells.
///
/// The process that writes a file holds its lock (flock): a file without a lock was left behind by one that died.
///
/// `@unchecked Sendable`: `PhotoJournal` hands it from the thread that appends to the one that frees it and back, and
/// never has two at work on it.
final class PhotoJournalFile: @unchecked Sendable {
    private static let headerLength = 88
    private static let mark = Array("menjrnl1".utf8)

    let path: String
    private let descriptor: Int32
    private var generation: UInt64 = 1
    /// Where the next photo goes, in bytes.
    private(set) var length = 0

    /// Makes a new file, locks it, and fills it with so many zeros: what is appended later then changes neither its
    /// length nor where it lies, which would have to be flushed as well.
    init(creating path: String, capacity: Int) throws(HistoryError) {
        self.path = path
        descriptor = try FileSystem.create(path, [])
        guard FileSystem.lock(descriptor) else { throw .unavailable("\(path): another process took it") }
        let zeros = [UInt8](repeating: 0, count: min(capacity, 1 << 20))
        for position in stride(from: 0, to: capacity, by: 1 << 20) {
            try FileSystem.write(zeros, to: descriptor, at: position, path)
        }
        try FileSystem.synchronizeData(descriptor, path)
    }

    /// Opens a file that a process left behind; nil while its lock is held.
    init?(leftAt path: String) throws(HistoryError) {
        self.path = path
        guard let descriptor = try FileSystem.openIfPresent(path) else { return nil }
        self.descriptor = descriptor
        guard FileSystem.lock(descriptor) else { return nil }
    }

    deinit {
        FileSystem.closeDescriptor(descriptor)
    }

    /// Appends the photos; they are on the disk when this returns.
    func append(_ photos: [PhotoWrite]) throws(HistoryError) {
        for photo in photos {
            try FileSystem.write(header(of: photo), to: descriptor, at: length, path)
            try FileSystem.write(photo.bytes, to: descriptor, at: length + Self.headerLength, path)
            length += Self.headerLength + photo.bytes.count
        }
        try FileSystem.synchronizeData(descriptor, path)
    }

    /// Begins anew over what was appended, which is thereby given up.
    func rewind() {
        generation += 1
        length = 0
    }

    /// Every photo that was appended since the last `rewind`, in order.
    func eachPhoto(_ body: (PhotoWrite) throws(HistoryError) -> Void) throws(HistoryError) {
        var position = 0
        var first: UInt64?
        while true {
            let header = try FileSystem.bytes(of: descriptor, at: position, count: Self.headerLength, path)
            guard let (generation, count, digest) = Self.contents(of: header), generation == first ?? generation else {
                return
            }
            first = generation
            let bytes = try FileSystem.bytes(of: descriptor, at: position + Self.headerLength, count: count, path)
            guard bytes.count == count, ContentDigest(of: bytes) == digest else { return }
            try body(PhotoWrite(digest: digest, bytes: bytes))
            position += Self.headerLength + count
        }
    }

    private func header(of photo: PhotoWrite) -> [UInt8] {
        var header = Self.mark
        header.reserveCapacity(Self.headerLength)
        for number in [generation, UInt64(photo.bytes.count)] {
            withUnsafeBytes(of: number.littleEndian) { header += $0 }
        }
        return header + Array(photo.digest.hexadecimal.utf8)
    }

    private static func contents(of header: [UInt8]) -> (generation: UInt64, count: Int, digest: ContentDigest)? {
        guard header.count == headerLength, header.starts(with: mark),
            let digest = ContentDigest(String(decoding: header[24...], as: UTF8.self))
        else { return nil }
        func number(_ start: Int) -> UInt64 {
            header[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard let count = Int(exactly: number(16)) else { return nil }
        return (number(8), count, digest)
    }
}
