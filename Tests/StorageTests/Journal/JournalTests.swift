import Base
import Foundation
import Testing

@testable import Storage

/// A loss of power before the photos themselves reached the disk.
@Suite("Journal") struct JournalTests {
    private func photos(_ count: Int, of size: Int = 3_000, from first: UInt64 = 1) -> [[UInt8]] {
        (first..<first + UInt64(count)).map { someBytes(size, seed: $0) }
    }

    private func journals(in directory: String) throws -> [String] {
        let folder = Journal.directory(in: directory)
        return try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
    }

    /// A copy of the directory as it may look after a loss of power. Every second file has lost its bytes and the
    /// others their names.
    private func losingPower(_ directory: String, _ digests: [ContentDigest]) throws -> String {
        let copy = directory + "-after"
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        for (index, digest) in digests.enumerated() {
            let path = PhotoStore.path(of: digest, in: copy)
            FileSystem.remove(path)
            if index % 2 == 0 { try Data().write(to: URL(fileURLWithPath: path)) }
        }
        return copy
    }

    @Test func whatWasAcknowledgedComesBackFromTheJournal() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"))
        let photos = photos(20)
        let digests = try await store.store(photos)
        let copy = try losingPower(directory("photos"), digests)
        let after = try await PhotoStore.open(directory: copy)
        for (digest, photo) in zip(digests, photos) { #expect(try await after.read(digest) == photo) }
        #expect(try await after.verify() == (photos: 20, damaged: []))
        #expect(try journals(in: copy) == [])
        await after.close()
        await store.close()
    }

    @Test func aRecordThatWasCutShortEndsTheReading() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"))
        for photo in photos(5) { _ = try await store.store([photo]) }
        let digests = photos(5).map { ContentDigest(of: $0) }
        let copy = try losingPower(directory("photos"), digests)
        let journal = try #require(try journals(in: copy).first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: journal))
        try bytes.prefix(4 * JournalFile.alignment + 3_000).write(to: URL(fileURLWithPath: journal))
        let after = try await PhotoStore.open(directory: copy)
        for digest in digests.dropLast() { #expect(try await after.read(digest).count == 3_000) }
        await #expect(throws: HistoryError.self) { try await after.read(digests[4]) }
        await after.close()
        await store.close()
    }

    /// The photos themselves may need the space.
    @Test func whereSpaceIsShortTheJournalTakesNone() async throws {
        let directory = try TemporaryDirectory()
        let journal = Journal(directory: directory.path, capacity: .max / 16)
        #expect(throws: HistoryError.diskFull(path: directory.path)) {
            try journal.append([PhotoFile(digest: ContentDigest(of: [1]), bytes: [1])])
        }
        let store = try await PhotoStore.open(directory: directory("photos"), journalBytes: .max / 16)
        let digests = try await store.store(photos(3))
        #expect(throws: CocoaError.self) { try journals(in: directory("photos")) }
        #expect(try await store.read(digests[2]) == photos(3)[2])
        await store.close()
    }

    /// A full journal file is reused only after the file system has flushed. This happens many times here, also through
    /// large photos.
    @Test func photosOutliveTheTurnsOfTheJournal() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"), journalBytes: 10_000)
        let waves = (0..<14).map { photos(3, from: 1 + 3 * $0) } + [photos(1, of: 30_000, from: 100)]
        for wave in waves {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for photo in wave { group.addTask { _ = try await store.store([photo]) } }
                try await group.waitForAll()
            }
        }
        #expect(try journals(in: directory("photos")).count == 2)
        await store.close()
        #expect(try journals(in: directory("photos")) == [])
        let after = try await PhotoStore.open(directory: directory("photos"))
        for photo in waves.joined() { #expect(try await after.read(ContentDigest(of: photo)) == photo) }
        await after.close()
    }

    @Test func photosTooLargeForTheJournalAreStoredWithoutIt() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"), journalBytes: 10_000)
        let photo = someBytes(40_001, seed: 1)
        let digests = try await store.store([photo])
        #expect(throws: CocoaError.self) { try journals(in: directory("photos")) }
        #expect(try await store.read(digests[0]) == photo)
        await store.close()
    }

    @Test func theJournalOfALivingProcessIsLeftAlone() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"))
        _ = try await store.store(photos(3))
        let before = try journals(in: directory("photos"))
        let other = try await PhotoStore.open(directory: directory("photos"))
        _ = try await other.store(photos(3, from: 50))
        #expect(Set(before).isSubset(of: try journals(in: directory("photos"))))
        #expect(try journals(in: directory("photos")).count == 2)
        await other.close()
        #expect(try journals(in: directory("photos")) == before)
        await store.close()
    }

    private func photo(_ size: Int, _ seed: UInt64) -> PhotoFile {
        let bytes = size == 0 ? [] : someBytes(size, seed: seed)
        return PhotoFile(digest: ContentDigest(of: bytes), bytes: bytes)
    }

    private func contents(_ file: JournalFile) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        try file.eachEntry { entry, _ in entries.append(entry) }
        return entries
    }

    @Test func aFileWrittenOverHoldsTheLaterEntriesOnly() throws {
        let directory = try TemporaryDirectory()
        let file = try JournalFile(creating: directory("journal"), capacity: 1_000)
        #expect(try contents(file) == [])
        try file.append([photo(500, 1), photo(0, 0), photo(700, 2)])
        try file.append([photo(5_000, 3)])
        #expect(
            try contents(file) == [
                .photo(photo(500, 1)), .photo(photo(0, 0)), .photo(photo(700, 2)), .photo(photo(5_000, 3)),
            ])
        file.rewind()
        try file.append([photo(300, 4)])
        #expect(try contents(file) == [.photo(photo(300, 4))])
        try file.append([photo(100, 5)])
        #expect(try contents(file) == [.photo(photo(300, 4)), .photo(photo(100, 5))])
        // A group of the old generation stands where the next group of the new one would begin.
        file.rewind()
        try file.append([photo(500, 6)])
        #expect(try contents(file) == [.photo(photo(500, 6))])
        #expect(try JournalFile(leftAt: directory("journal")) == nil)
    }

    @Test func rowsComeBackAsTheyWereUnlessTheyWereTakenBack() throws {
        let directory = try TemporaryDirectory()
        let file = try JournalFile(creating: directory("journal"), capacity: 100_000)
        let rows: [[SQLValue]] = [
            [.null, .integer(.min), .integer(.max), .text(""), .text("Ääkköset 🐈")], [],
            [.text(String(repeating: "x", count: 9_000))],
        ]
        let kept = [JournalEntry.photo(photo(10, 1))] + rows.map { .row($0) }
        try file.append([photo(10, 1)], rows: rows)
        try file.append([photo(15, 3)], rows: [[.integer(7)]])
        // The photos beside the rows stay.
        try file.retractRows()
        #expect(try contents(file) == kept + [.photo(photo(15, 3))])
        try file.append([photo(20, 2)])
        try file.retractRows()
        #expect(try contents(file) == kept + [.photo(photo(15, 3)), .photo(photo(20, 2))])
        var ends: [JournalPosition] = []
        try file.eachEntry { ends.append($1) }
        for (earlier, later) in zip(ends, ends.dropFirst()) {
            #expect(later.isAfter(generation: earlier.generation, offset: earlier.offset))
        }
        #expect(try #require(ends.last).offset <= file.position.offset)
        for broken: [UInt8] in [[1, 0], [2, 255, 0, 0, 0, 1], [3], [2]] {
            #expect([SQLValue](journalled: broken) == nil)
        }
    }
}
