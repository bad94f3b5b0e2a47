import Foundation
import Testing

@testable import Base

/// An archive in memory, behind any number of zeros.
private struct Bytes: ArchiveSource {
    var zeros = 0
    let bytes: [UInt8]

    var count: Int { zeros + bytes.count }

    func bytes(at position: Int, count: Int) async throws -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: max(0, min(count, zeros - position)))
        let start = min(max(0, position - zeros), bytes.count)
        return padding + bytes[start..<min(start + count - padding.count, bytes.count)]
    }
}

extension ZIPReader {
    fileprivate init(_ bytes: [UInt8]) async throws {
        try await self.init(Bytes(bytes: bytes))
    }

    fileprivate var entries: [Entry] {
        get async throws {
            var entries: [Entry] = []
            try await forEachEntry { entry, _ in entries.append(entry) }
            return entries
        }
    }

    fileprivate func contents(limit: Int = 1_000) async throws -> [[UInt8]] {
        var contents: [[UInt8]] = []
        for entry in try await entries { contents.append(try await self.contents(of: entry, limit: limit)) }
        return contents
    }
}

@Suite struct ZIPTests {
    /// Made by Python's zipfile: a deflated file, a stored one and a comment.
    private static let foreign =
        "UEsDBBQAAAAIAIFzdV3owWChEAAAAMIBAAASAAAAc2NhbnMvMDAwMDAxLmpzb25sq1ZKVLJSMKzlqh5lDE0GAFBLAw"
        + "QUAAAAAAAAACEAC/lDVgYAAAAGAAAACQAAAHBsYWluLnR4dHN0b3JlZFBLAQIUAxQAAAAIAIFzdV3owWChEAAAAMIB"
        + "AAASAAAAAAAAAAAAAACAAQAAAABzY2Fucy8wMDAwMDEuanNvbmxQSwECFAMUAAAAAAAAACEAC/lDVgYAAAAGAAAACQ"
        + "AAAAAAAAAAAAAAgAFAAAAAcGxhaW4udHh0UEsFBgAAAAACAAIAdwAAAG0AAAASAGJ5IGFub3RoZXIgcHJvZ3JhbQ=="

    private func archive(_ files: [(String, [UInt8])]) -> [UInt8] {
        var writer = ZIPWriter()
        let start = files.reduce(into: [UInt8]()) { bytes, file in
            bytes += writer.entry(file.0, file.1, modified: Date(timeIntervalSince1970: 1_800_000_000))
        }
        return start + writer.finish()
    }

    @Test(arguments: [
        ("p\u{84}\u{84}ryn\u{84}/\u{82}.jpg", "päärynä/é.jpg"),
        ("p\u{E4}\u{E4}ryn\u{E4}/\u{80}\u{96}.jpg", "päärynä/€–.jpg"),
        ("\u{8E}pple/\u{A4}.jpg", "Äpple/ñ.jpg"),
    ])
    func namesOfOtherCodePagesAreRead(raw: String, name: String) async throws {
        // The placeholder has one byte for each byte of the name.
        let place = String(repeating: "x", count: raw.unicodeScalars.count)
        let bytes = raw.unicodeScalars.map { UInt8($0.value) }
        var packed = archive([(place, Array("pear".utf8))])
        while let found = packed.firstRange(of: Array(place.utf8)) { packed.replaceSubrange(found, with: bytes) }
        let reader = try await ZIPReader(packed)
        #expect(try await reader.entries.map(\.name) == [name])
        #expect(try await reader.contents() == [Array("pear".utf8)])
    }

    /// The system is the upper byte of “version made by” in the directory (APPNOTE 4.4.2).
    @Test(arguments: [
        (UInt8(0), "cat\\1.jpg", "cat/1.jpg"), (0, "cat/a\\1.jpg", "cat/a\\1.jpg"), (3, "cat\\1.jpg", "cat\\1.jpg"),
    ])
    func backslashesOfWindowsSeparateFolders(system: UInt8, raw: String, name: String) async throws {
        var packed = archive([(raw, Array("pear".utf8))])
        let entry = try #require(packed.firstRange(of: [0x50, 0x4B, 0x01, 0x02]))
        packed[entry.lowerBound + 5] = system
        let reader = try await ZIPReader(packed)
        #expect(try await reader.entries.map(\.name) == [name])
        #expect(try await reader.contents() == [Array("pear".utf8)])
    }

    /// Made by Python's zipfile behind 5 GiB of zeros: a deflated file, and a stored one with sizes of 64 bits.
    private static let far =
        "UEsDBBQAAAAIAAAAdV3owWChEAAAAMIBAAASAAAAc2NhbnMvMDAwMDAxLmpzb25sq1ZKVLJSMKzlqh5lDE0GAFBLAwQtAAAAAAAAAHVdC/lD"
        + "Vv//////////CQAUAHBsYWluLnR4dAEAEAAGAAAAAAAAAAYAAAAAAAAAc3RvcmVkUEsBAi0DLQAAAAgAAAB1XejBYKEQAAAAwgEAABIADAAA"
        + "AAAAAAAAAIAB/////3NjYW5zLzAwMDAwMS5qc29ubAEACAAAAABAAQAAAFBLAQItAy0AAAAAAAAAdV0L+UNWBgAAAAYAAAAJAAwAAAAAAAAA"
        + "AACAAf////9wbGFpbi50eHQBAAgAQAAAQAEAAABQSwYGLAAAAAAAAAAtAC0AAAAAAAAAAAACAAAAAAAAAAIAAAAAAAAAjwAAAAAAAACBAABA"
        + "AQAAAFBLBgcAAAAAEAEAQAEAAAABAAAAUEsFBgAAAAACAAIAjwAAAP////8AAA=="

    /// Made by Python's zipfile into a pipe: the sizes follow the contents.
    private static let streamed =
        "UEsDBBQACAAIAAAAdV0AAAAAAAAAAAAAAAASAAAAc2NhbnMvMDAwMDAxLmpzb25sq1ZKVLJSMKzlqh5lDE0GAFBLBwjowWChEAAAAMIBAABQ"
        + "SwECFAMUAAgACAAAAHVd6MFgoRAAAADCAQAAEgAAAAAAAAAAAAAAgAEAAAAAc2NhbnMvMDAwMDAxLmpzb25sUEsFBgAAAAABAAEAQAAAAFAA"
        + "AAAAAA=="

    private static let lines = Array(String(repeating: "{\"a\": 1}\n", count: 50).utf8)

    private func decoded(_ text: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: text)))
    }

    @Test func whatIsWrittenIsRead() async throws {
        let files = [("photos/ä.jpg", [UInt8](0...255)), ("empty", []), ("scans/000001.jsonl", Array("{}\n".utf8))]
        let reader = try await ZIPReader(archive(files))
        #expect(try await reader.entries.map(\.name) == files.map(\.0))
        #expect(try await reader.contents() == files.map(\.1))
        var found: [String] = []
        var positions: [Int] = []
        try await reader.forEachEntry { positions.append($1) }
        for position in positions.reversed() { found.append(try await reader.entry(at: position).name) }
        #expect(found == files.map(\.0).reversed())
    }

    @Test func archivesOfOtherProgramsAreRead() async throws {
        let reader = try await ZIPReader(decoded(Self.foreign))
        #expect(try await reader.entries.map(\.name) == ["scans/000001.jsonl", "plain.txt"])
        #expect(try await reader.contents() == [Self.lines, Array("stored".utf8)])
        #expect(try await ZIPReader(decoded(Self.streamed)).contents() == [Self.lines])
    }

    /// The comment may hold the signature of the record that the comment belongs to.
    @Test func aCommentMayHoldAnySignature() async throws {
        let comment = Array("PK\u{5}\u{6} is how an archive ends, PK\u{1}\u{2} is an entry".utf8)
        var bytes = archive([("a.txt", [1, 2, 3])])
        bytes[bytes.count - 2] = UInt8(comment.count)
        #expect(try await ZIPReader(bytes + comment).contents() == [[1, 2, 3]])
        // Other programs leave bytes behind an archive.
        #expect(try await ZIPReader(archive([("a.txt", [4])]) + Array("junk".utf8)).contents() == [[4]])
    }

    @Test func archivesMayBeLargerThan4GiB() async throws {
        let source = Bytes(zeros: 5 << 30, bytes: try decoded(Self.far))
        let reader = try await ZIPReader(source)
        #expect(try await reader.entries.map(\.name) == ["scans/000001.jsonl", "plain.txt"])
        #expect(try await reader.contents() == [Self.lines, Array("stored".utf8)])
    }

    /// An end record can count at most 65,535 entries. More of them need ZIP64.
    @Test func archivesMayHaveManyEntries() async throws {
        let bytes = archive((0..<66_000).map { ("\($0)", []) })
        #expect(bytes.suffix(98).starts(with: [0x50, 0x4B, 0x06, 0x06]))
        let names = try await ZIPReader(bytes).entries.map(\.name)
        #expect(names.count == 66_000 && names.last == "65999")
    }

    /// In a small archive, many entries could point to the same compressed bytes and so cause any amount of work.
    @Test func filesThatShareBytesAreRefused() async throws {
        let whole = archive([("a", Array(repeating: 7, count: 10_000))])
        let (start, end) = (whole.count - 22 - 47, whole.count - 22)
        var bytes = Array(whole[..<start])
        for _ in 0..<50 { bytes += whole[start..<end] }
        var tail = Array(whole[end...])
        tail.replaceSubrange(8..<12, with: [50, 0, 50, 0])
        tail.replaceSubrange(12..<16, with: [UInt8((47 * 50) & 0xFF), UInt8((47 * 50) >> 8), 0, 0])
        let reader = try await ZIPReader(bytes + tail)
        let error = await #expect(throws: ArchiveError.self) { try await reader.entries }
        #expect(error?.description.contains("overlap") == true, "\(String(describing: error))")
    }

    @Test func anyProgramCanUnpackWhatIsWritten() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(archive([("photos/1.jpg", [1, 2, 3]), ("scans/000001.jsonl", [10])])).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["unzip", "-tqq", file.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func largeEntriesAreRefusedBeforeTheyAreUnpacked() async throws {
        let reader = try await ZIPReader(archive([("a", Array(repeating: 0, count: 100))]))
        await #expect(throws: ArchiveError.self) { try await reader.contents(limit: 99) }
        #expect(try await reader.contents(limit: 100) == [Array(repeating: 0, count: 100)])
    }

    /// A damaged archive gives an error or other contents, never a crash.
    @Test(arguments: [(foreign, 18), (far, 0), (streamed, 0)])
    func damagedArchivesAreRefused(text: String, comment: Int) async throws {
        let whole = try decoded(text)
        for length in 0..<whole.count - comment {
            await #expect(throws: (any Error).self, "\(length)") {
                try await ZIPReader(Array(whole.prefix(length))).contents()
            }
        }
        var damaged = 0
        for position in whole.indices {
            var bytes = whole
            bytes[position] ^= 0xFF
            do {
                _ = try await ZIPReader(bytes).contents()
            } catch is ArchiveError {
                damaged += 1
            }
        }
        #expect(damaged > whole.count / 3)
    }
}
