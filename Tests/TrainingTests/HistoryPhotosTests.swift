import Base
import Storage
import TestSupport
import Testing

@testable import Training

@Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct HistoryPhotosTests {
    @Test func aPhotoIsLeftOutIfItIsLostAndNotIfTheStoreIsAway() async throws {
        let folder = try TemporaryFolder()
        let server = try PostgreSQLServer.shared.get()
        let history = try await HistoryStore.open(
            HistoryConfiguration(
                backend: .postgreSQL(connectionString: try server.newDatabase()), directory: folder.path))
        let bytes: [UInt8] = [1, 2, 3]
        let scan = Scan(
            species: "cat", head: "cats", predictions: [], message: "", model: ScanModel(name: "m", version: "1"),
            image: ScanImage(width: 1, height: 1, format: "jpeg", orientation: 1, sha256: ContentDigest(of: bytes)),
            timing: Timing(decode: 0, queue: 0, inference: 0, batchSize: 1))
        _ = try await history.record(scan, photo: bytes)
        _ = try await history.scans.update(id: scan.id, ScanUpdate(individual: .set("Misu")))
        let source = try await PhotoSource(history, .individuals, limits: TrainingLimits())
        let photo = try #require(source.catalogue.photos.first)
        #expect(try await source.bytes(photo) == bytes)
        try await history.close()
        await #expect(throws: HistoryError.closed) { try await source.bytes(photo) }
    }
}
