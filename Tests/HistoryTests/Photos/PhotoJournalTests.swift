import Foundation
import Testing

@testable import History

/// What the journal keeps when the machine dies before the photos themselves reached the disk.
@Suite("Photo journal") struct PhotoJournalTests {
    private func photos(_ count: Int, of size: Int = 3_000, from first: UInt64 = 1) -> [[UInt8]] {
        (first..<first + UInt64(count)).map { someBytes(size, seed: $0) }
    }

    private func journals(in directory: String) throws -> [String] {
        let folder = PhotoJournal.directory(in: directory)
        return try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
    }

    /// The directory as it may be after a loss of power: a copy, in which every second file lost its bytes and the
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
        #expect(try await after.verify() == (files: 20, damaged: []))
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
        try bytes.prefix(5 * 3_088 - 100).write(to: URL(fileURLWithPath: journal))
        let after = try await PhotoStore.open(directory: copy)
        for digest in digests.dropLast() { #expect(try await after.read(digest).count == 3_000) }
        await #expect(throws: HistoryError.self) { try await after.read(digests[4]) }
        await after.close()
        await store.close()
    }

    /// The disk may come to be needed for the photos themselves.
    @Test func whereSpaceIsShortTheJournalTakesNone() async throws {
        let directory = try TemporaryDirectory()
        let journal = PhotoJournal(directory: directory.path, capacity: .max / 16)
        #expect(throws: HistoryError.diskFull(path: directory.path)) {
            try journal.append([PhotoWrite(digest: ContentDigest(of: [1]), bytes: [1])])
        }
        let store = try await PhotoStore.open(directory: directory("photos"), journalBytes: .max / 16)
        let digests = try await store.store(photos(3))
        #expect(throws: CocoaError.self) { try journals(in: directory("photos")) }
        #expect(try await store.read(digests[2]) == photos(3)[2])
        await store.close()
    }

    /// A full file is given up only once the file system has flushed; here many times over, also by large photos.
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

    @Test func aFileWrittenOverHoldsTheLaterPhotosOnly() throws {
        let directory = try TemporaryDirectory()
        func write(_ bytes: [UInt8]) -> PhotoWrite { PhotoWrite(digest: ContentDigest(of: bytes), bytes: bytes) }
        func contents(_ file: PhotoJournalFile) throws -> [Int] {
            var sizes: [Int] = []
            try file.eachPhoto { photo in sizes.append(photo.bytes.count) }
            return sizes
        }
        let file = try PhotoJournalFile(creating: directory("journal"), capacity: 1_000)
        #expect(try contents(file) == [])
        try file.append([write(someBytes(500, seed: 1)), write([]), write(someBytes(700, seed: 2))])
        #expect(try contents(file) == [500, 0, 700])
        file.rewind()
        try file.append([write(someBytes(300, seed: 3))])
        #expect(try contents(file) == [300])
        try file.append([write(someBytes(100, seed: 4))])
        #expect(try contents(file) == [300, 100])
        // Where the next record of the new generation would begin, one of the old happens to stand.
        file.rewind()
        try file.append([write(someBytes(500, seed: 5))])
        #expect(try contents(file) == [500])
        #expect(try PhotoJournalFile(leftAt: directory("journal")) == nil)
    }
}
