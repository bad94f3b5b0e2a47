/// Reads a TAR archive (POSIX.1-2017 pax and ustar, GNU long names) a file at a time. TAR has no directory, so the
/// headers are read once in order. Then each file is found by its position.
package struct TARReader: Sendable {
    /// A file in the archive.
    package struct Entry: Sendable {
        package let name: String
        /// The size in bytes.
        package let size: Int
        fileprivate let offset: Int
    }

    private static let block = 512
    /// The longest name or pax header that is read, in bytes.
    private static let longestHeader = 65_536

    /// The largest number of headers. The reader keeps some data of each file.
    private static let maximumEntries = 1_000_000

    private let source: any ArchiveSource
    /// The regular files, in the order of the archive.
    package let entries: [Entry]

    /// Reads the headers.
    ///
    /// - Throws: ``ArchiveError``.
    package init(_ source: any ArchiveSource) async throws {
        self.source = source
        var entries: [Entry] = []
        var position = 0
        var longName: String?
        var count = 0
        while position + Self.block <= source.count {
            let header = TARHeader(bytes: try await source.bytes(at: position, count: Self.block))
            if header.isEnd { break }
            guard header.hasRightChecksum, let size = header.size else {
                throw count == 0
                    ? ArchiveError.notATAR : ArchiveError.damaged("a header in it does not have its checksum")
            }
            count += 1
            guard count <= Self.maximumEntries else {
                throw ArchiveError.unsupported("it has more than \(Self.maximumEntries) files")
            }
            let start = position + Self.block
            guard size <= source.count - start else { throw ArchiveError.damaged("it ends too early") }
            switch header.kind {
            case UInt8(ascii: "L"), UInt8(ascii: "x"):
                guard size <= Self.longestHeader else { throw ArchiveError.damaged("a name in it is too long") }
                let bytes = try await source.bytes(at: start, count: size)
                longName =
                    header.kind == UInt8(ascii: "L")
                    ? ArchiveName.text(bytes.prefix { $0 != 0 }) : Self.path(inPAX: bytes) ?? longName
            case UInt8(ascii: "0"), 0, UInt8(ascii: "7"):
                entries.append(Entry(name: longName ?? header.name, size: size, offset: start))
                longName = nil
            case UInt8(ascii: "g"): break
            default: longName = nil
            }
            position = start + (size + Self.block - 1) / Self.block * Self.block
        }
        guard count > 0 || source.count >= Self.block else { throw ArchiveError.notATAR }
        self.entries = entries
    }

    /// The contents of a file.
    ///
    /// - Parameter limit: the largest size in bytes.
    package func contents(of entry: Entry, limit: Int) async throws -> [UInt8] {
        guard entry.size <= limit else { throw ArchiveError.tooLarge(entry.name, limit: limit) }
        let bytes = try await source.bytes(at: entry.offset, count: entry.size)
        guard bytes.count == entry.size else { throw ArchiveError.damaged("it ends too early") }
        return bytes
    }

    /// The path in a pax header. Its records have the form `length path=value
    /// `, where the length counts the whole record.
    private static func path(inPAX bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        var path: String?
        while let space = rest.firstIndex(of: 0x20),
            let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length > space - rest.startIndex + 1,
            length <= rest.count
        {
            let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
            let parts = record.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].elementsEqual("path".utf8) {
                path = ArchiveName.text(parts[1])
            }
            rest = rest.dropFirst(length)
        }
        return path
    }
}

/// A block of 512 bytes that describes the file after it.
private struct TARHeader {
    let bytes: [UInt8]

    /// Whether the block is empty. Empty blocks end an archive.
    var isEnd: Bool { bytes.allSatisfy { $0 == 0 } }

    var kind: UInt8 { bytes[156] }

    /// The name, with the prefix of ustar.
    var name: String {
        let isUSTAR = bytes[257..<262].elementsEqual("ustar".utf8)
        let prefix = isUSTAR ? text(345..<500) : ""
        return prefix.isEmpty ? text(0..<100) : prefix + "/" + text(0..<100)
    }

    /// The size in octal digits, or in binary if the first bit is set (GNU); nil for any other field.
    var size: Int? {
        let field = bytes[124..<136]
        guard let first = field.first else { return nil }
        if first & 0x80 != 0 {
            let value = field.dropFirst(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return value < 1 << 53 ? Int(value) : nil
        }
        return Self.octal(field)
    }

    /// Whether the checksum equals the sum of all bytes, with its own bytes counted as blanks.
    var hasRightChecksum: Bool {
        let sum = bytes.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
        return Self.octal(bytes[148..<156]) == sum
    }

    private func text(_ range: Range<Int>) -> String {
        ArchiveName.text(bytes[range].prefix { $0 != 0 })
    }

    private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        guard digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 << 3 | Int($1 & 7) }
    }
}
