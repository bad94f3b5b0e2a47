import Foundation
import Testing

@testable import API

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

    @Test func whatIsWrittenIsRead() throws {
        let files = [("photos/ä.jpg", [UInt8](0...255)), ("empty", []), ("scans/000001.jsonl", Array("{}\n".utf8))]
        let reader = try ZIPReader(archive(files))
        #expect(reader.entries.map(\.name) == files.map(\.0))
        for (entry, file) in zip(reader.entries, files) {
            #expect(try reader.contents(of: entry, limit: 1_000) == file.1)
        }
    }

    @Test func archivesOfOtherProgramsAreRead() throws {
        let bytes = Array(try #require(Data(base64Encoded: Self.foreign)))
        let reader = try ZIPReader(bytes)
        #expect(reader.entries.map(\.name) == ["scans/000001.jsonl", "plain.txt"])
        let lines = try reader.contents(of: reader.entries[0], limit: 1_000)
        #expect(lines == Array(String(repeating: "{\"a\": 1}\n", count: 50).utf8))
        #expect(try reader.contents(of: reader.entries[1], limit: 1_000) == Array("stored".utf8))
    }

    /// Beyond 65,535 entries the end record cannot count them (ZIP64).
    @Test func archivesMayHaveManyEntries() throws {
        let bytes = archive((0..<66_000).map { ("\($0)", []) })
        #expect(bytes.suffix(98).starts(with: [0x50, 0x4B, 0x06, 0x06]))
        #expect(try ZIPReader(bytes).entries.count == 66_000)
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

    @Test func largeEntriesAreRefusedBeforeTheyAreUnpacked() throws {
        let reader = try ZIPReader(archive([("a", Array(repeating: 0, count: 100))]))
        #expect(throws: ZIPError.self) { try reader.contents(of: reader.entries[0], limit: 99) }
    }

    /// A cut or changed archive gives an error or other contents, never a crash.
    @Test func damagedArchivesAreRefused() throws {
        let whole = Array(try #require(Data(base64Encoded: Self.foreign)))
        for length in 0..<whole.count - 18 {
            #expect(throws: ZIPError.self, "\(length)") { try ZIPReader(Array(whole.prefix(length))) }
        }
        var damaged = 0
        for position in whole.indices {
            var bytes = whole
            bytes[position] ^= 0xFF
            do {
                let reader = try ZIPReader(bytes)
                for entry in reader.entries { _ = try reader.contents(of: entry, limit: 1_000) }
            } catch {
                damaged += 1
            }
        }
        #expect(damaged > whole.count / 3)
    }
}
