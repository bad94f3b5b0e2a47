import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

@Suite("Bytes on their way into the history") struct SpooledFileTests {
    private static let canMount = SmallFileSystem.obstacle == nil
    private static let mountComment = Comment(rawValue: "skipped: \(SmallFileSystem.obstacle ?? "")")

    @Test func bytesAreReadAsTheyWereAppendedAndNothingStays() async throws {
        let directory = try TemporaryDirectory()
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data")))
        let file = try await store.makeSpooledFile(expected: 100)
        let bytes = someBytes(300_000, seed: 4)
        for start in stride(from: 0, to: bytes.count, by: 70_001) {
            try await file.append(Array(bytes[start..<min(start + 70_001, bytes.count)]))
        }
        #expect(file.count == bytes.count)
        #expect(try await file.bytes(at: 123_456, count: 1_000) == Array(bytes[123_456..<124_456]))
        #expect(try await file.bytes(at: 299_990, count: 1_000) == Array(bytes[299_990...]))
        #expect(try await file.bytes(at: 300_000, count: 1) == [])
        // The file has no name while in use, and only the owner can read the folder.
        #expect(FileSystem.names(in: directory("data/imports")) == [])
        let attributes = try FileManager.default.attributesOfItem(atPath: directory("data/imports"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        try await store.close()
    }

    @Test func whatAKilledProcessLeftIsRemovedAtTheStart() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory("data/imports"), withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: URL(filePath: directory("data/imports/01M7Z7DQY2DRRSQZMCX1HA8292")))
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("data")))
        #expect(FileSystem.names(in: directory("data/imports")) == [])
        try await store.close()
    }

    @Test(.enabled(if: canMount, mountComment)) func aFullDiskIsSaidAndComesBack() async throws {
        let fileSystem = try TestFileSystem(megabytes: 48)
        defer { fileSystem.disk.unmount() }
        let store = try await HistoryStore.open(HistoryConfiguration(directory: fileSystem.directory("data")))
        // A file of known length is refused before its first byte.
        await #expect(throws: HistoryError.diskFull(path: fileSystem.directory("data/imports"))) {
            try await store.makeSpooledFile(expected: 20 << 20)
        }
        do {
            let file = try await store.makeSpooledFile()
            var failure: HistoryError?
            for seed in 0..<1_000 where failure == nil {
                do throws(HistoryError) {
                    try await file.append(someBytes(100_000, seed: UInt64(seed)))
                } catch {
                    failure = error
                }
            }
            guard case .diskFull = failure else {
                Issue.record("expected diskFull, got \(String(describing: failure))")
                return
            }
            #expect(file.count > 1 << 20)
            // Other scans are saved meanwhile.
            _ = try await store.save(.fixture(), photo: someBytes(1_000_000, seed: 1))
        }
        // The space is free again once the last writing thread has released the file.
        for _ in 0..<1_000
        where (FileSystem.freeBytes(fileSystem.directory.path) ?? 0) < FileSystem.reserve + (4 << 20) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try #require(FileSystem.freeBytes(fileSystem.directory.path)) > FileSystem.reserve + (4 << 20))
        _ = try await store.save(.fixture(), photo: [1, 2, 3])
        try await store.close()
    }
}
