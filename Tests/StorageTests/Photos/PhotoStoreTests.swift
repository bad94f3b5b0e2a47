import Base
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite("Photo store") struct PhotoStoreTests {
    private func withStore(
        maximumBytes: Int = 1_000_000, _ body: (PhotoStore, TemporaryDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"), maximumBytes: maximumBytes)
        try await body(store, directory)
        await store.close()
    }

    private func files(in directory: TemporaryDirectory) throws -> [String] {
        let root = directory("photos")
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            !FileSystem.isDirectory("\(root)/\($0)") && !$0.hasPrefix("journal/")
        }.sorted()
    }

    /// Sets a file's last change to two hours ago.
    private func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: path)
    }

    @Test func filesAreNamedAfterTheirBytes() async throws {
        try await withStore { store, directory in
            let digests = try await store.store([Array("abc".utf8), [], someBytes(100_000, seed: 1)])
            let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            #expect(digests.first?.hexadecimal == abc)
            #expect(FileManager.default.contents(atPath: directory("photos/b/a/\(abc)")) == Data("abc".utf8))
            #expect(try await store.read(digests[1]) == [])
            #expect(try await store.read(digests[2]) == someBytes(100_000, seed: 1))
            #expect(try files(in: directory).count == 3)
        }
    }

    @Test func theSamePhotoIsStoredOnceAlsoByConcurrentCallers() async throws {
        try await withStore { store, directory in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<60 {
                    group.addTask { _ = try await store.store([someBytes(5_000, seed: UInt64(index % 3))]) }
                }
                try await group.waitForAll()
            }
            #expect(try files(in: directory).count == 3)
        }
    }

    @Test func aDamagedPhotoIsAnErrorAndHealsWhenStoredAgain() async throws {
        try await withStore { store, directory in
            let bytes = someBytes(10_000, seed: 4)
            let digest = try await store.store([bytes])[0]
            let path = PhotoStore.path(of: digest, in: directory("photos"))
            var damaged = bytes
            damaged[5_000] ^= 1
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            await #expect(throws: HistoryError.corruptPhoto(path: path)) { try await store.read(digest) }
            #expect(try await store.verify().damaged == [path])
            _ = try await store.store([bytes])
            #expect(try await store.read(digest) == bytes)
            try Data(bytes.dropLast()).write(to: URL(fileURLWithPath: path))
            await #expect(throws: HistoryError.corruptPhoto(path: path)) { try await store.read(digest) }
            FileSystem.remove(path)
            await #expect(throws: HistoryError.missingPhoto(path: path)) { try await store.read(digest) }
        }
    }

    /// Another process writes the photo during the check.
    @Test func aPhotoThatIsJustBeingWrittenIsNotDamaged() async throws {
        try await withStore { store, directory in
            let bytes = someBytes(10_000, seed: 5)
            let path = PhotoStore.path(of: ContentDigest(of: bytes), in: directory("photos"))
            try Data(bytes.prefix(4_000)).write(to: URL(fileURLWithPath: path))
            // It stays new however long the check waits for the processor.
            let later = Date(timeIntervalSinceNow: 3_600)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
            let early = try await store.verify {}
            #expect(early == (files: 1, damaged: [path]))
            let whole = try await store.verify { try? Data(bytes).write(to: URL(fileURLWithPath: path)) }
            #expect(whole == (files: 1, damaged: []))
        }
    }

    @Test func tooLargePhotosAreRefused() async throws {
        try await withStore(maximumBytes: 1_000) { store, directory in
            await #expect(throws: HistoryError.photoTooLarge(bytes: 1_001, limit: 1_000)) {
                try await store.store([[1], someBytes(1_001, seed: 1)])
            }
            #expect(try files(in: directory) == [])
            let digests = try await store.store([someBytes(1_000, seed: 1)])
            #expect(digests.count == 1)
        }
    }

    @Test func onlyOldUnnamedFilesAreCollected() async throws {
        try await withStore { store, directory in
            let digests = try await store.store((1...4).map { someBytes(1_000, seed: $0) })
            let root = directory("photos")
            for digest in digests.prefix(3) { try age(PhotoStore.path(of: digest, in: root)) }
            let leftover = directory("photos/incoming/\(ULID.next())")
            try Data(count: 500).write(to: URL(fileURLWithPath: leftover))
            try age(leftover)
            let named: Set = [digests[0]]
            let removed = try await store.sweep(0..<256, age: 3_600) { named.intersection($0) }
            #expect(removed.count == 3)
            #expect(removed.bytes == 2_500)
            // The first photo is in use. The fourth is recent, so its row may follow.
            let left = try files(in: directory).map { String($0.suffix(64)) }
            #expect(left.sorted() == [digests[0], digests[3]].map(\.hexadecimal).sorted())
        }
    }

    @Test func aPhotoNamedWhileItIsCollectedStays() async throws {
        try await withStore { store, directory in
            let digest = try await store.store([[1, 2, 3]])[0]
            try age(PhotoStore.path(of: digest, in: directory("photos")))
            let questions = Questions()
            let removed = try await store.sweep(0..<256, age: 3_600) { digests in
                // No row uses the photos when candidates are chosen, but a row does when they are moved.
                await questions.ask() == 1 ? [] : Set(digests)
            }
            #expect(removed.count == 0)
            #expect(try await store.read(digest) == [1, 2, 3])
        }
    }

    @Test func aPhotoStoredAgainWhileItIsCollectedStays() async throws {
        try await withStore { store, directory in
            let digest = try await store.store([[1, 2, 3]])[0]
            try age(PhotoStore.path(of: digest, in: directory("photos")))
            let questions = Questions()
            _ = try await store.sweep(0..<256, age: 3_600) { _ throws(HistoryError) in
                if await questions.ask() == 2 { _ = try await store.store([[1, 2, 3]]) }
                return []
            }
            #expect(try await store.read(digest) == [1, 2, 3])
        }
    }

    @Test func aPhotoWhoseCollectionIsRefusedStays() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"), maximumPending: 1)
        let digest = try await store.store([[1, 2, 3]])[0]
        let (questions, refusals, gate) = (Questions(), Locked(0), Gate())
        gate.close()
        await #expect(throws: HistoryError.overloaded(pending: 1)) {
            try await store.collect([digest], age: 0) { _ throws(HistoryError) in
                guard await questions.ask() == 2 else { return [] }
                // Four readers work, one more waits, and the sixth is refused.
                for _ in 1...6 {
                    Task {
                        if await store.readers.runIfRoom({ gate.pass() }) == nil { refusals.withLock { $0 += 1 } }
                    }
                }
                while refusals.withLock({ $0 }) == 0 { await Task.yield() }
                return []
            }
        }
        gate.open()
        let path = PhotoStore.path(of: digest, in: directory("photos"))
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
        await store.close()
    }

    @Test func aPhotoThatAKilledCollectionLeftAsideComesBack() async throws {
        try await withStore { store, directory in
            let digest = try await store.store([[1, 2, 3]])[0]
            let aside = directory("photos/incoming/\(digest)")
            try FileSystem.move(PhotoStore.path(of: digest, in: directory("photos")), to: aside)
            try age(aside)
            _ = try await store.sweep(0..<256, age: 0) { _ in [] }
            let reopened = try await PhotoStore.open(directory: directory("photos"))
            #expect(try await reopened.read(digest) == [1, 2, 3])
        }
    }

    @Test func aPinnedPhotoIsNotCollected() async throws {
        try await withStore { store, directory in
            let writes = try store.pin([[1, 2, 3]])
            let digests = writes.map(\.digest)
            _ = try await store.write(writes)
            _ = try await store.write(store.pin([[1, 2, 3]]))
            store.unpin(digests)
            #expect(try await store.sweep(0..<256, age: 0) { _ in [] }.count == 0)
            store.unpin(digests)
            #expect(try await store.sweep(0..<256, age: 0) { _ in [] }.count == 1)
        }
    }

    @Test func aClosedStoreRefuses() async throws {
        let directory = try TemporaryDirectory()
        let store = try await PhotoStore.open(directory: directory("photos"))
        await store.close()
        await #expect(throws: HistoryError.closed) { try await store.store([[1]]) }
    }
}

/// Counts the questions.
private actor Questions {
    private var count = 0

    func ask() -> Int {
        count += 1
        return count
    }
}
