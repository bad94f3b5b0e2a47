internal import Base
internal import Foundation

/// One file of the journal: groups of entries, each entry with a header of 88 bytes before it.
///
/// The header: eight bytes that say what it is, the generation of the file, how many bytes the entry has (both 64 bits,
/// little endian), and its SHA-256 as 64 hexadecimal digits. What is appended together is a group, which begins at a
/// multiple of 4,096 bytes and is filled up with zeros, so that it can go to the disk past the page cache; so do its rows,
/// which come after its photos, so that they can be taken back without them. A file is
/// written over from its beginning again and again, with a higher generation each time: what is left of an older one
/// ends the reading. So does an entry that was not written whole, of which the digest tells.
///
/// The process that writes a file holds its lock (flock): a file without a lock was left behind by one that died.
///
/// `@unchecked Sendable`: `Journal` hands it from the thread that appends to the one that frees it and back, and never
/// has two at work on it.
final class JournalFile: @unchecked Sendable {
    private static let headerLength = 88
    /// What direct writes ask for, in bytes.
    static let alignment = 4_096
    private static let photoMark = Array("menjrnl1".utf8)
    private static let rowMark = Array("menjrow1".utf8)

    let path: String
    private let name: String
    private let descriptor: Int32
    private var generation: UInt64 = 1
    /// Where the next group goes, in bytes.
    private(set) var length = 0
    /// Where the rows of the last group began.
    private var lastRows = 0

    /// Where the last group ends.
    var position: JournalPosition { position(at: length, generation) }

    /// Makes a new file, locks it, and fills it with so many zeros: what is appended later then changes neither its
    /// length nor where it lies, which would have to be flushed as well.
    init(creating path: String, capacity: Int) throws(HistoryError) {
        self.path = path
        name = URL(fileURLWithPath: path).lastPathComponent
        descriptor = try onDisk(FileSystem.createDurable(path))
        guard FileSystem.lock(descriptor) else { throw .unavailable("\(path): another process took it") }
        for position in stride(from: 0, to: capacity, by: 1 << 20) {
            try write(Self.aligned(min(capacity - position, 1 << 20)), at: position) { _ in }
        }
    }

    /// Opens a file that a process left behind; nil while its lock is held.
    init?(leftAt path: String) throws(HistoryError) {
        self.path = path
        name = URL(fileURLWithPath: path).lastPathComponent
        guard let descriptor = try onDisk(FileSystem.openIfPresent(path)) else { return nil }
        self.descriptor = descriptor
        guard FileSystem.lock(descriptor) else { return nil }
    }

    deinit {
        FileSystem.closeDescriptor(descriptor)
    }

    /// Appends a group; it is on the disk when this returns.
    func append(_ photos: [PhotoWrite], rows: [[SQLValue]] = []) throws(HistoryError) {
        let photos = photos.map { Entry(mark: Self.photoMark, digest: $0.digest, bytes: $0.bytes) }
        let rows = rows.map { values -> Entry in
            let bytes = values.journalled
            return Entry(mark: Self.rowMark, digest: ContentDigest(of: bytes), bytes: bytes)
        }
        let (sizeOfPhotos, sizeOfRows) = (Self.size(of: photos), Self.size(of: rows))
        try write(sizeOfPhotos + sizeOfRows, at: length) { group in
            fill(group[..<sizeOfPhotos], with: photos)
            fill(group[sizeOfPhotos...], with: rows)
        }
        lastRows = length + sizeOfPhotos
        length += sizeOfPhotos + sizeOfRows
    }

    /// Takes the rows of the last group back. Its photos stay: they may be under their names already, where whoever
    /// saves them again finds them and takes them for durable.
    func retractRows() throws(HistoryError) {
        guard lastRows < length else { return }
        // All of them: what follows next may be shorter.
        try write(length - lastRows, at: lastRows) { _ in }
        length = lastRows
    }

    /// Begins anew over what was appended, which is thereby given up.
    func rewind() {
        generation += 1
        length = 0
    }

    /// Every entry that was appended since the last `rewind`, in order, and where it ends.
    func eachEntry(
        _ body: (JournalEntry, JournalPosition) throws(HistoryError) -> Void
    ) throws(HistoryError) {
        guard let reader = try onDisk(FileSystem.openIfPresent(path)) else { return }
        defer { FileSystem.closeDescriptor(reader) }
        var offset = 0
        var first: UInt64?
        while true {
            let header = try onDisk(FileSystem.bytes(of: reader, at: offset, count: Self.headerLength, path))
            guard let header = Header(header), header.generation == first ?? header.generation else {
                // The end of a group, or of them all.
                if offset == Self.aligned(offset) { return }
                offset = Self.aligned(offset)
                continue
            }
            first = header.generation
            let bytes = try onDisk(
                FileSystem.bytes(of: reader, at: offset + Self.headerLength, count: header.count, path))
            guard bytes.count == header.count, ContentDigest(of: bytes) == header.digest else { return }
            offset += Self.headerLength + header.count
            if header.isRow {
                guard let values = [SQLValue](journalled: bytes) else { return }
                try body(.row(values), position(at: offset, header.generation))
            } else {
                try body(
                    .photo(PhotoWrite(digest: header.digest, bytes: bytes)), position(at: offset, header.generation))
            }
        }
    }

    // MARK: Parts

    private struct Entry {
        var mark: [UInt8]
        var digest: ContentDigest
        var bytes: [UInt8]
    }

    private static func size(of entries: [Entry]) -> Int {
        aligned(entries.reduce(0) { $0 + headerLength + $1.bytes.count })
    }

    private func fill(_ space: Slice<UnsafeMutableRawBufferPointer>, with entries: [Entry]) {
        var rest = space
        func put(_ bytes: some Collection<UInt8>) {
            UnsafeMutableRawBufferPointer(rebasing: rest).copyBytes(from: bytes)
            rest = rest.dropFirst(bytes.count)
        }
        for entry in entries {
            put(entry.mark)
            for number in [generation, UInt64(entry.bytes.count)] {
                withUnsafeBytes(of: number.littleEndian) { put($0) }
            }
            put(entry.digest.hexadecimal.utf8)
            put(entry.bytes)
        }
    }

    private struct Header {
        var isRow: Bool
        var generation: UInt64
        var count: Int
        var digest: ContentDigest

        init?(_ bytes: [UInt8]) {
            guard bytes.count == JournalFile.headerLength,
                let digest = ContentDigest(String(decoding: bytes[24...], as: UTF8.self))
            else { return nil }
            func number(_ start: Int) -> UInt64 {
                bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            isRow = bytes.starts(with: JournalFile.rowMark)
            guard isRow || bytes.starts(with: JournalFile.photoMark), let count = Int(exactly: number(16)) else {
                return nil
            }
            (self.generation, self.count, self.digest) = (number(8), count, digest)
        }
    }

    private static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }

    private func position(at offset: Int, _ generation: UInt64) -> JournalPosition {
        JournalPosition(file: name, generation: Int64(clamping: generation), offset: Int64(offset))
    }

    /// Writes so many bytes, zeros but for what `fill` puts there.
    private func write(
        _ count: Int, at position: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(HistoryError) {
        let group = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: Self.alignment)
        defer { group.deallocate() }
        group.initializeMemory(as: UInt8.self, repeating: 0)
        fill(group)
        try onDisk(FileSystem.write(UnsafeRawBufferPointer(group), to: descriptor, at: position, path))
    }
}
