import CZlib

/// Reads a ZIP archive that lies in memory, by its central directory (PKWARE APPNOTE 6.3.10). Every length is checked
/// against the bytes that are there, and every content against its length and checksum.
struct ZIPReader {
    struct Entry: Sendable {
        let name: String
        /// In bytes, unpacked, as the archive declares it.
        let size: Int
        fileprivate let method: UInt16
        fileprivate let packedSize: Int
        fileprivate let checksum: UInt32
        fileprivate let offset: Int
    }

    /// In the order of the archive.
    let entries: [Entry]
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(ZIPError) {
        let fields = LittleEndianReader(bytes: bytes)
        let end = try Self.end(fields)
        let size = Int(try fields.uint32(end + 12))
        var position = Int(try fields.uint32(end + 16))
        guard size < Int(UInt32.max), position < Int(UInt32.max), position + size <= end else {
            throw .damaged("its directory does not lie within it")
        }
        let limit = position + size
        var entries: [Entry] = []
        while position < limit {
            guard try fields.uint32(position) == 0x0201_4B50 else { throw .damaged("its directory is not in order") }
            let flags = try fields.uint16(position + 8)
            let nameLength = Int(try fields.uint16(position + 28))
            let name = try fields.slice(position + 46, nameLength)
            let entry = Entry(
                name: String(decoding: name, as: UTF8.self), size: Int(try fields.uint32(position + 24)),
                method: try fields.uint16(position + 10), packedSize: Int(try fields.uint32(position + 20)),
                checksum: try fields.uint32(position + 16), offset: Int(try fields.uint32(position + 42)))
            guard flags & 1 == 0 else { throw .unsupported("\(entry.name) is encrypted") }
            guard entry.method == 0 || entry.method == 8 else {
                throw .unsupported("\(entry.name) is compressed by method \(entry.method); stored and deflate are read")
            }
            entries.append(entry)
            position += 46 + nameLength + Int(try fields.uint16(position + 30)) + Int(try fields.uint16(position + 32))
        }
        self.entries = entries
        self.bytes = bytes
    }

    /// The contents of an entry.
    /// - Parameter limit: largest size in bytes.
    func contents(of entry: Entry, limit: Int) throws(ZIPError) -> [UInt8] {
        guard entry.size <= limit else { throw .tooLarge(entry.name, limit: limit) }
        let fields = LittleEndianReader(bytes: bytes)
        guard try fields.uint32(entry.offset) == 0x0403_4B50 else {
            throw .damaged("\(entry.name) is not where it should be")
        }
        let start =
            entry.offset + 30 + Int(try fields.uint16(entry.offset + 26)) + Int(try fields.uint16(entry.offset + 28))
        let packed = try fields.slice(start, entry.packedSize)
        let contents = entry.method == 0 ? Array(packed) : Self.inflate(packed, size: entry.size)
        guard contents.count == entry.size, CRC32.checksum(contents) == entry.checksum else {
            throw .damaged("\(entry.name) does not have its size and checksum")
        }
        return contents
    }

    /// Where the end record stands; a comment of up to 64 KiB may follow it.
    private static func end(_ fields: LittleEndianReader) throws(ZIPError) -> Int {
        let last = fields.bytes.count - 22
        guard last >= 0 else { throw .notAnArchive }
        for position in stride(from: last, through: max(0, last - 65_535), by: -1)
        where fields.bytes[position] == 0x50 {
            if try fields.uint32(position) == 0x0605_4B50 { return position }
        }
        throw .notAnArchive
    }

    /// Unpacks a deflate stream (RFC 1951) of a known size; empty when it is longer, shorter or broken.
    private static func inflate(_ packed: ArraySlice<UInt8>, size: Int) -> [UInt8] {
        // zlib keeps a pointer to the stream, so its place must not change.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return []
        }
        defer { inflateEnd(stream) }
        var input = Array(packed)
        // One byte more than there should be, so that a longer stream is told from a whole one.
        let output = [UInt8](unsafeUninitializedCapacity: size + 1) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(clamping: input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(clamping: size + 1)
                let code = CZlib.inflate(stream, Z_FINISH)
                count = code == Z_STREAM_END ? size + 1 - Int(stream.pointee.avail_out) : 0
            }
        }
        return output.count == size ? output : []
    }
}

/// Why an archive cannot be read.
enum ZIPError: Error {
    case notAnArchive
    case damaged(String)
    case unsupported(String)
    case tooLarge(String, limit: Int)
}

extension ZIPError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notAnArchive: "The body is no ZIP archive."
        case .damaged(let detail): "The archive is damaged: \(detail)."
        case .unsupported(let detail): "The archive cannot be read: \(detail)."
        case .tooLarge(let name, let limit): "\(name) in the archive has more than \(limit) bytes."
        }
    }
}

/// Numbers out of bytes, the least significant byte first.
private struct LittleEndianReader {
    let bytes: [UInt8]

    func slice(_ start: Int, _ count: Int) throws(ZIPError) -> ArraySlice<UInt8> {
        guard start >= 0, count >= 0, start + count <= bytes.count else { throw .damaged("it ends too early") }
        return bytes[start..<(start + count)]
    }

    func uint16(_ position: Int) throws(ZIPError) -> UInt16 {
        try slice(position, 2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }

    func uint32(_ position: Int) throws(ZIPError) -> UInt32 {
        try slice(position, 4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
