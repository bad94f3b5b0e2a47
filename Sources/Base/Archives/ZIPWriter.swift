import CZlib
package import Foundation

/// Writes a ZIP archive piece by piece (PKWARE APPNOTE 6.3.10). Entries are stored unpacked, because photos are
/// compressed already.
///
/// An archive may have any size and any number of entries (ZIP64). A single entry has to be smaller than 4 GiB. The
/// writer holds some 100 bytes per entry until the end.
package struct ZIPWriter {
    private enum Signature {
        static let local: UInt32 = 0x0403_4B50
        static let central: UInt32 = 0x0201_4B50
        static let end: UInt32 = 0x0605_4B50
        static let end64: UInt32 = 0x0606_4B50
        static let locator64: UInt32 = 0x0706_4B50
    }

    /// The flag for names in UTF-8 (general purpose bit 11).
    private static let flags: UInt16 = 0x0800

    private var directory = LittleEndianBytes()
    private var count: UInt64 = 0
    /// The position of the next byte in the archive.
    private var offset: UInt64 = 0

    package init() {}

    /// The bytes of one entry, which follow those handed out before.
    /// - Parameters:
    ///   - name: the path, with "/" between folders.
    ///   - contents: less than 4 GiB.
    package mutating func entry(_ name: String, _ contents: [UInt8], modified: Date) -> [UInt8] {
        let checksum = CRC32.checksum(contents)
        let (day, time) = DOSTime.fields(of: modified)
        let name = Array(name.utf8)
        var bytes = LittleEndianBytes()
        bytes.append(Signature.local)
        Self.describe(&bytes, version: 20, time, day, checksum, contents.count, name.count)
        bytes.append(UInt16(0))
        bytes.append(name)
        bytes.append(contents)

        let isFar = offset >= UInt64(UInt32.max)
        directory.append(Signature.central)
        // Version made by: 4.5, on Unix.
        directory.append(UInt16(3 << 8 | 45))
        Self.describe(&directory, version: isFar ? 45 : 20, time, day, checksum, contents.count, name.count)
        directory.append(UInt16(isFar ? 12 : 0))
        // No comment, first disk, no internal attributes; a regular file for its owner only.
        for _ in 0..<3 { directory.append(UInt16(0)) }
        directory.append(UInt32(0o100600) << 16)
        directory.append(isFar ? UInt32.max : UInt32(offset))
        directory.append(name)
        if isFar {
            directory.append(UInt16(1))
            directory.append(UInt16(8))
            directory.append(offset)
        }
        count += 1
        offset += UInt64(bytes.bytes.count)
        return bytes.bytes
    }

    /// The bytes that end the archive.
    package mutating func finish() -> [UInt8] {
        let size = UInt64(directory.bytes.count)
        let start = offset
        var bytes = directory
        if count >= UInt64(UInt16.max) || start >= UInt64(UInt32.max) || size >= UInt64(UInt32.max) {
            bytes.append(Signature.end64)
            bytes.append(UInt64(44))
            bytes.append(UInt16(45))
            bytes.append(UInt16(45))
            bytes.append(UInt32(0))
            bytes.append(UInt32(0))
            for value in [count, count, size, start] { bytes.append(value) }
            bytes.append(Signature.locator64)
            bytes.append(UInt32(0))
            bytes.append(start + size)
            bytes.append(UInt32(1))
        }
        bytes.append(Signature.end)
        bytes.append(UInt32(0))
        bytes.append(UInt16(clamping: count))
        bytes.append(UInt16(clamping: count))
        bytes.append(UInt32(clamping: size))
        bytes.append(UInt32(clamping: start))
        bytes.append(UInt16(0))
        return bytes.bytes
    }

    /// Writes the fields that local and central header share, from "version needed" to the length of the name. It is
    /// static, because a method would hold the directory during the change and so copy it for every entry.
    private static func describe(
        _ bytes: inout LittleEndianBytes, version: UInt16, _ time: UInt16, _ day: UInt16, _ checksum: UInt32,
        _ size: Int, _ nameLength: Int
    ) {
        bytes.append(version)
        bytes.append(Self.flags)
        // The method is "stored".
        bytes.append(UInt16(0))
        bytes.append(time)
        bytes.append(day)
        bytes.append(checksum)
        bytes.append(UInt32(clamping: size))
        bytes.append(UInt32(clamping: size))
        bytes.append(UInt16(clamping: nameLength))
    }
}

/// Appends numbers to bytes, the least significant byte first.
private struct LittleEndianBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }
}

/// The checksum of ZIP, PNG and gzip (ISO 3309).
package enum CRC32 {
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count))
    }
}

/// Dates in the format of MS-DOS: from 1980 on, in steps of two seconds, here in UTC.
private enum DOSTime {
    static func fields(of date: Date) -> (day: UInt16, time: UInt16) {
        let (days, second) = Int(clamping: date.timeIntervalSince1970).flooringDivision(by: 86_400)
        let day = CivilDate(days: days)
        let year = min(max(day.year - 1980, 0), 127)
        let time = second / 3600 << 11 | second / 60 % 60 << 5 | second % 60 / 2
        return (UInt16(year << 9 | day.month << 5 | day.day), UInt16(time))
    }
}
