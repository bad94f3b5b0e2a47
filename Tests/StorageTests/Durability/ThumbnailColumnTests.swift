import Base
import Foundation
import GRDB
import Testing
import TestSupport

@testable import Storage

@Suite("Histories with a column of thumbnails") struct ThumbnailColumnTests {
    private static let insertion = """
        INSERT INTO scans (id, created_at, species, label, abstained, corrected_label, note, note_folded, digest, \
        photo_digest, thumbnail_digest, photo_bytes, idempotency_key, document) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    /// The values of `insertion`.
    private func row(_ scan: Scan, thumbnail: ContentDigest?) throws -> [SQLValue] {
        var values = try ScanRecord(scan).values(idempotencyKey: "key of \(scan.id)")
        values.insert(SQLValue(thumbnail?.hexadecimal), at: 10)
        return values
    }

    /// Three scans with photos. The first has a thumbnail. The last is only in the journal, as after a loss of power.
    @Test func everyScanAndPhotoStays() async throws {
        let directory = try TemporaryDirectory()
        let photos = try await PhotoStore.open(directory: directory("data/photos"))
        let files = try photos.pin((1...3).map { someBytes(2_000, seed: $0) })
        var scans = files.map { file in
            Scan.fixture(photo: StoredPhoto(digest: file.digest, byteCount: file.bytes.count))
        }
        scans[1].note = "limps"
        let thumbnail = try await photos.store([Array("thumbnail".utf8)])[0]
        _ = try await photos.write(Array(files.prefix(2)))

        let database = try DatabaseQueue(path: directory("data/history.sqlite"))
        try SQLiteMigrations.migrator.migrate(database, upTo: "9 notes beside the scans")
        let rows = try scans.enumerated().map { try row($1, thumbnail: $0 == 0 ? thumbnail : nil) }
        try await database.write { database in
            let connection = SQLiteConnection(database: database)
            for row in rows.prefix(2) { try connection.execute(Self.insertion, row) }
        }
        try database.close()
        _ = try photos.batch.journal.append([files[2]], rows: [rows[2]])
        // In another process, because closing a file that this one has open would drop its locks.
        let process = try Process.run(
            URL(filePath: "/bin/cp"), arguments: ["-a", directory("data"), directory("after")])
        process.waitUntilExit()

        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory("after"), orphanAge: 0))
        #expect(try await store.scans.count() == 3)
        for (scan, file) in zip(scans, files) {
            #expect(try await store.scans.scan(id: scan.id) == scan)
            #expect(try await store.scans.scan(idempotencyKey: "key of \(scan.id)") == scan)
            #expect(try await store.photo(of: scan.id)?.bytes == file.bytes)
        }
        #expect(try await store.scans.page(HistoryQuery(text: "limps")).items.map(\.id) == [scans[1].id])
        #expect(try await store.checkIntegrity() == IntegrityReport(scans: 3, photos: 4))
        // Nothing names the thumbnail now.
        #expect(try await store.maintain().orphans == 1)
        #expect(try await store.checkIntegrity() == IntegrityReport(scans: 3, photos: 3))
        try await store.close()
        await photos.close()
    }

    /// Replicas are upgraded one after the other.
    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func aReplicaOfRelease1GoesOnSaving() async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let repository = try await PostgreSQLDatabase.repository(
            connectionString: database, options: RepositoryOptions())
        let scan = Scan.fixture()
        try PostgreSQLConnection(database).execute(Self.insertion, row(scan, thumbnail: nil))
        #expect(try await repository.scan(id: scan.id) == scan)
        try await repository.close()
    }
}
