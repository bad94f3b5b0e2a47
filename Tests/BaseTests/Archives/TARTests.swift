import Foundation
import Testing

@testable import Base

/// Archives made by the system's tar.
@Suite struct TARTests {
    private struct Bytes: ArchiveSource {
        let bytes: [UInt8]
        var count: Int { bytes.count }

        func bytes(at position: Int, count: Int) async throws -> [UInt8] {
            Array(bytes[min(position, bytes.count)..<min(position + count, bytes.count)])
        }
    }

    private static func tar(_ files: [String: String], _ options: [String]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/tar")
        process.arguments = options + ["--create", "--directory", folder.path] + files.keys.sorted()
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(bytes)
    }

    @Test(arguments: ["gnu", "ustar", "pax"]) func filesComeOutAsTheyWentIn(format: String) async throws {
        let long = "apples/" + String(repeating: "x", count: format == "ustar" ? 90 : 180) + ".jpg"
        let files = ["apples/1.jpg": "one", "pears/ä.jpg": String(repeating: "2", count: 1_000), long: "long", "e": ""]
        let reader = try await TARReader(Bytes(bytes: Self.tar(files, ["--format=\(format)"])))
        #expect(reader.entries.map(\.name).sorted() == files.keys.sorted())
        for entry in reader.entries {
            let contents = try await reader.contents(of: entry, limit: 2_000)
            #expect(String(decoding: contents, as: UTF8.self) == files[entry.name])
        }
        let large = try #require(reader.entries.first { $0.size == 1_000 })
        await #expect(throws: ArchiveError.self) { try await reader.contents(of: large, limit: 999) }
    }

    @Test func whatIsNoArchiveIsRefused() async throws {
        await #expect(throws: ArchiveError.self) { try await TARReader(Bytes(bytes: [])) }
        await #expect(throws: ArchiveError.self) {
            try await TARReader(Bytes(bytes: [UInt8](repeating: 0x41, count: 4_096)))
        }
        let whole = try Self.tar(["a": String(repeating: "1", count: 5_000)], [])
        await #expect(throws: ArchiveError.self) { try await TARReader(Bytes(bytes: Array(whole.prefix(2_048)))) }
        var damaged = whole
        damaged[10] ^= 0xFF
        await #expect(throws: ArchiveError.self) { try await TARReader(Bytes(bytes: damaged)) }
    }

    /// Reading ends, whatever byte is changed.
    @Test func damageNeverHurts() async throws {
        let whole = try Self.tar(["a/b": "text", "c": "more"], ["--format=pax"])
        for position in stride(from: 0, to: min(whole.count, 3_072), by: 7) {
            var damaged = whole
            damaged[position] = damaged[position] == 0xFF ? 0 : 0xFF
            _ = try? await TARReader(Bytes(bytes: damaged))
        }
    }
}
