/// Reads a ZIP archive of any size by its central directory (PKWARE APPNOTE 6.3.10, with ZIP64), a file at a time.
///
/// Every length is checked against the bytes that are there, and every content against its name, length and checksum.
/// Archives whose files share bytes are refused, because a small one could hold any number of large files.
package struct ZIPReader: Sendable {
    /// A file in the archive, as the central directory lists it.
    package struct Entry: Sendable {
        package let name: String
        /// The name's bytes as they are in the archive.
        fileprivate let nameBytes: [UInt8]
        /// The unpacked size in bytes, as the archive declares it.
        package let size: Int
        fileprivate let flags: UInt16
        fileprivate let method: UInt16
        fileprivate let packedSize: Int
        fileprivate let checksum: UInt32
        fileprivate let offset: Int
    }

    /// The largest number of files. The reader keeps some data of each.
    static let maximumEntries = 4_000_000
    /// The size of a directory entry with the longest name, extra field and comment.
    private static let longestEntry = 46 + 3 * 65_535
    private static let directoryBlock = 256 * 1024

    private let source: any ArchiveSource
    /// The place of the central directory.
    private let directory: Range<Int>

    /// Finds the central directory.
    package init(_ source: any ArchiveSource) async throws {
        self.source = source
        directory = try await ZIPEnd.directory(of: source)
    }

    /// Visits every file, in the order of the directory, with the position that ``entry(at:)`` takes.
    package func forEachEntry(_ body: (Entry, Int) throws -> Void) async throws {
        var position = directory.lowerBound
        var window = LittleEndianReader(bytes: [])
        var windowStart = position
        var count = 0
        var packed = 0
        while position < directory.upperBound {
            if position + Self.longestEntry > windowStart + window.bytes.count,
                windowStart + window.bytes.count < directory.upperBound
            {
                window = LittleEndianReader(
                    bytes: try await source.bytes(
                        at: position, count: min(Self.directoryBlock, directory.upperBound - position)))
                windowStart = position
            }
            let (entry, length) = try Self.entry(in: window, at: position - windowStart)
            count += 1
            guard count <= Self.maximumEntries else {
                throw ArchiveError.unsupported("it has more than \(Self.maximumEntries) files")
            }
            packed += entry.packedSize
            guard packed <= directory.lowerBound else { throw ArchiveError.damaged("its files overlap") }
            try body(entry, position)
            position += length
        }
    }

    /// The file whose directory entry is at `position`.
    package func entry(at position: Int) async throws -> Entry {
        let bytes = try await source.bytes(
            at: position, count: min(Self.longestEntry, directory.upperBound - position))
        return try Self.entry(in: LittleEndianReader(bytes: bytes), at: 0).entry
    }

    /// The contents of a file.
    /// - Parameter limit: the largest size in bytes.
    package func contents(of entry: Entry, limit: Int) async throws -> [UInt8] {
        guard entry.size <= limit else { throw ArchiveError.tooLarge(entry.name, limit: limit) }
        guard entry.flags & 1 == 0 else { throw ArchiveError.unsupported("\(entry.name) is encrypted") }
        guard entry.method == 0 || entry.method == 8 else {
            throw ArchiveError.unsupported(
                "\(entry.name) is compressed by method \(entry.method); stored and deflate are read")
        }
        // Deflate adds at most five bytes to each block that it cannot pack.
        guard entry.packedSize <= entry.size + entry.size / 100 + 1_024 else {
            throw ArchiveError.damaged("\(entry.name) is longer packed than unpacked")
        }
        let name = entry.nameBytes
        let header = LittleEndianReader(bytes: try await source.bytes(at: entry.offset, count: 30 + name.count))
        guard try header.uint32(0) == 0x0403_4B50, try header.uint16(26) == name.count,
            try header.slice(30, name.count).elementsEqual(name)
        else { throw ArchiveError.damaged("\(entry.name) is not where it should be") }
        let start = entry.offset + 30 + name.count + Int(try header.uint16(28))
        guard start <= directory.lowerBound - entry.packedSize else { throw ArchiveError.damaged("it ends too early") }
        let packed = try await source.bytes(at: start, count: entry.packedSize)
        let contents = entry.method == 0 ? packed : Self.inflate(packed, size: entry.size)
        guard contents.count == entry.size, CRC32.checksum(contents) == entry.checksum else {
            throw ArchiveError.damaged("\(entry.name) does not have its size and checksum")
        }
        return contents
    }

    /// Reads one entry of the central directory, and returns its length too.
    private static func entry(
        in fields: LittleEndianReader, at position: Int
    ) throws(ArchiveError) -> (entry: Entry, length: Int) {
        guard try fields.uint32(position) == 0x0201_4B50 else { throw .damaged("its directory is not in order") }
        let nameLength = Int(try fields.uint16(position + 28))
        let extraLength = Int(try fields.uint16(position + 30))
        let name = Array(try fields.slice(position + 46, nameLength))
        var far = ZIP64Field(try fields.slice(position + 46 + nameLength, extraLength))
        // The numbers come in this order, and only those that do not fit their 32-bit field (APPNOTE 4.5.3).
        let size = try far.value(try fields.uint32(position + 24))
        let packedSize = try far.value(try fields.uint32(position + 20))
        let offset = try far.value(try fields.uint32(position + 42))
        // Windows PowerShell separates folders by backslashes (APPNOTE 4.4.17.1 forbids it). Windows is system 0.
        let isBackward = try fields.uint16(position + 4) >> 8 == 0 && !name.contains(UInt8(ascii: "/"))
        let path = isBackward ? name.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 } : name
        let entry = Entry(
            name: ArchiveName.text(path), nameBytes: name, size: size, flags: try fields.uint16(position + 8),
            method: try fields.uint16(position + 10),
            packedSize: packedSize, checksum: try fields.uint32(position + 16), offset: offset)
        return (entry, 46 + nameLength + extraLength + Int(try fields.uint16(position + 32)))
    }

    /// Unpacks a deflate stream (RFC 1951) of a known size. Empty if it is longer, shorter or broken.
    private static func inflate(_ packed: [UInt8], size: Int) -> [UInt8] {
        guard let stream = try? Inflater() else { return [] }
        var input = packed[...]
        var status = Inflater.Status.unfinished
        // One byte more than expected shows a stream that is too long.
        let output = [UInt8](unsafeUninitializedCapacity: size + 1) { space, count in
            (status, count) = stream.step(&input, into: space)
        }
        return status == .ended && output.count == size ? output : []
    }
}

/// The records at the end of an archive, which locate its directory.
enum ZIPEnd {
    static func directory(of source: any ArchiveSource) async throws -> Range<Int> {
        // A comment of up to 64 KiB may follow the record, and the locator of ZIP64 precedes it.
        let start = max(0, source.count - 22 - 65_535 - 20)
        let fields = LittleEndianReader(bytes: try await source.bytes(at: start, count: source.count - start))
        let end = try end(fields)
        let (count, size) = (try fields.uint16(end + 10), try fields.uint32(end + 12))
        let position = try fields.uint32(end + 16)
        var (lower, length, limit) = (Int(position), Int(size), start + end)
        if count == .max || size == .max || position == .max, end >= 20, try fields.uint32(end - 20) == 0x0706_4B50 {
            limit = try fields.length(end - 20 + 8)
            guard limit <= start + end - 20 - 56 else {
                throw ArchiveError.damaged("its directory does not lie within it")
            }
            let record = LittleEndianReader(bytes: try await source.bytes(at: limit, count: 56))
            guard try record.uint32(0) == 0x0606_4B50 else {
                throw ArchiveError.damaged("the record of its directory is not where it should be")
            }
            (length, lower) = (try record.length(40), try record.length(48))
        }
        guard lower <= limit, length <= limit - lower else {
            throw ArchiveError.damaged("its directory does not lie within it")
        }
        return lower..<lower + length
    }

    private static func end(_ fields: LittleEndianReader) throws(ArchiveError) -> Int {
        let last = fields.bytes.count - 22
        guard last >= 0 else { throw .notAnArchive }
        var found: Int?
        for position in stride(from: last, through: max(0, last - 65_535), by: -1)
        where fields.bytes[position] == 0x50 {
            guard try fields.uint32(position) == 0x0605_4B50 else { continue }
            // The comment may contain these bytes too. That of the right record ends with the archive.
            if position + Int(try fields.uint16(position + 20)) == last { return position }
            found = found ?? position
        }
        guard let found else { throw .notAnArchive }
        return found
    }
}

/// The extra field of a ZIP64 file (APPNOTE 4.5.3), with the 64-bit numbers that do not fit in 32 bits.
private struct ZIP64Field {
    private let fields: LittleEndianReader
    private var position = 0

    /// - Parameter extra: all extra fields of an entry.
    init(_ extra: ArraySlice<UInt8>) {
        let all = LittleEndianReader(bytes: Array(extra))
        var start = 0
        while let kind = try? all.uint16(start), let length = try? all.uint16(start + 2) {
            if kind == 1, let field = try? all.slice(start + 4, Int(length)) {
                fields = LittleEndianReader(bytes: Array(field))
                return
            }
            start += 4 + Int(length)
        }
        fields = LittleEndianReader(bytes: [])
    }

    /// The number itself, or the next 64-bit number if it is marked as not fitting.
    mutating func value(_ number: UInt32) throws(ArchiveError) -> Int {
        guard number == .max else { return Int(number) }
        defer { position += 8 }
        return try fields.length(position)
    }
}

/// Reads numbers from bytes, the least significant byte first.
struct LittleEndianReader {
    let bytes: [UInt8]

    func slice(_ start: Int, _ count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
        guard start >= 0, count >= 0, start <= bytes.count, count <= bytes.count - start else {
            throw .damaged("it ends too early")
        }
        return bytes[start..<(start + count)]
    }

    func uint16(_ position: Int) throws(ArchiveError) -> UInt16 {
        try slice(position, 2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }

    func uint32(_ position: Int) throws(ArchiveError) -> UInt32 {
        try slice(position, 4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A 64-bit number of bytes. A number of 2^53 or more cannot be right.
    func length(_ position: Int) throws(ArchiveError) -> Int {
        let number: UInt64 = try slice(position, 8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard number < 1 << 53 else { throw .damaged("a length in it is beyond any archive") }
        return Int(number)
    }
}
