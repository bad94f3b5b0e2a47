internal import Base
internal import Foundation

/// One file of the journal: groups of entries, each entry with a header of 88 bytes before it.
///
/// The header holds a mark of eight bytes, the generation of the file and the length of the entry (both 64 bits, little
/// endian), and the entry's SHA-256 as 64 hexadecimal digits. A group is what was appended together. It begins at a
/// multiple of 4,096 bytes and is padded with zeros, so that direct writes can bypass the page cache. Its rows follow
/// its photos and are aligned too, so that they can be taken back alone.
///
/// A file is overwritten from its beginning again and again, with a higher generation each time. Reading ends at an
/// entry of an older generation, or at one whose digest shows that it is incomplete.
///
/// The process that writes a file locks it (flock). A file without a lock was left by a process that died.
///
/// `@unchecked Sendable`: `Journal` hands it between the thread that appends and the thread that frees. They never use
/// it at the same time.
final class JournalFile: @unchecked Sendable {
    private static let headerLength = 88
    /// The alignment that direct writes demand, in bytes.
    static let alignment = 4_096
    private static let photoMark = Array("menjrnl1".utf8)
    private static let rowMark = Array("menjrow1".utf8)

    let path: String
    private let name: String
    private let descriptor: Int32
    private var generation: UInt64 = 1
    /// The position of the next group, in bytes.
    private(set) var length = 0
    /// The position of the rows of the last group.
    private var lastRows = 0

    /// The end of the last group.
    var position: JournalPosition { position(at: length, generation) }

    /// Makes a new file, locks it, and fills it with zeros up to the capacity. Later appends then change neither its
    /// length nor its place on the disk, which would have to be flushed as well.
    init(creating path: String, capacity: Int) throws(HistoryError) {
        self.path = path
        name = URL(fileURLWithPath: path).lastPathComponent
        descriptor = try onDisk(FileSystem.createDurable(path))
        guard FileSystem.lock(descriptor) else { throw .unavailable("\(path): another process took it") }
        for position in stride(from: 0, to: capacity, by: 1 << 20) {
            try write(Self.aligned(min(capacity - position, 1 << 20)), at: position) { _ in }
        }
    }

    /// Opens a file that a process left behind. Nil while its lock is held.
    init?(leftAt path: String) throws(HistoryError) {
        self.path = path
        name = URL(fileURLWithPath: path).lastPathComponent
        guard let descriptor = try onDisk(FileSystem.openIfPresent(path)) else { return nil }
        self.descriptor = descriptor
        guard FileSystem.lock(descriptor) else { return nil }
    }

    deinit { FileSystem.closeDescriptor(descriptor) }

    /// Appends a group. It is on the disk when this returns.
    func append(_ photos: [PhotoFile], rows: [[SQLValue]] = []) throws(HistoryError) {
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

    /// Takes the rows of the last group back. Its photos stay: they may have their names already, and a later save of
    /// the same photos takes them for durable.
    func retractRows() throws(HistoryError) {
        guard lastRows < length else { return }
        // All of them are overwritten, because the next group may be shorter.
        try write(length - lastRows, at: lastRows) { _ in }
        length = lastRows
    }

    /// Starts again from the beginning and gives up everything that was appended.
    func rewind() {
        generation += 1
        length = 0
    }

    /// Visits every entry appended since the last `rewind`, in order, with the position where it ends.
    func eachEntry(_ body: (JournalEntry, JournalPosition) throws(HistoryError) -> Void) throws(HistoryError) {
        guard let reader = try onDisk(FileSystem.openIfPresent(path)) else { return }
        defer { FileSystem.closeDescriptor(reader) }
        var offset = 0
        var first: UInt64?
        while true {
            let header = try onDisk(FileSystem.bytes(of: reader, at: offset, count: Self.headerLength, path))
            guard let header = Header(header), header.generation == first ?? header.generation else {
                // This is the end of a group, or of all groups.
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
                    .photo(PhotoFile(digest: header.digest, bytes: bytes)), position(at: offset, header.generation))
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

    /// Writes `count` bytes: zeros, except where `fill` puts others.
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
