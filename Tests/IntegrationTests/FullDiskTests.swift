import Base
import Foundation
import Storage
import Testing
import TestSupport

/// A service on a full disk. Stored scans can be read and deleted. Refusals give the reason.
@Suite(.timeLimit(.minutes(5))) struct FullDiskTests {
    private static let canMount = SmallFileSystem.obstacle == nil
    private static let comment = Comment(rawValue: "skipped: \(SmallFileSystem.obstacle ?? "")")

    /// Fills the disk to the last byte.
    private func fill(_ path: String) throws {
        SmallFileSystem.fill(path)
        #expect(FileSystem.freeBytes(path) == 0)
    }

    private func scan(_ seed: Int) -> Scan {
        Scan(
            species: "cat", head: "cats", predictions: [], message: "m", model: ScanModel(name: "m", version: "1"),
            image: ScanImage(
                width: 1, height: 1, format: "jpeg", orientation: 1, sha256: ContentDigest(of: Array("\(seed)".utf8))),
            timing: Timing(decode: 1, queue: 1, inference: 1, batchSize: 1))
    }

    private func noise(_ seed: Int) -> [UInt8] {
        var numbers = SeededNumbers(seed: UInt64(seed))
        return (0..<100_000).flatMap { _ in withUnsafeBytes(of: numbers.next()) { Array($0) } }
    }

    private func save(_ service: LiveService, _ photo: [UInt8]) async throws -> RawResponse {
        try await service.classify(photo, query: "")
    }

    @Test(.enabled(if: canMount, comment)) func whatFillsItCanBeDeletedAndTheServiceStarts() async throws {
        let photo = try #require(ClassifyTests.drawing)
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 96)
        defer { disk.unmount() }
        let filler = folder.path + "/filler"
        let clock = Locked(Date())
        let now: @Sendable () -> Date = { clock.withLock { $0 } }
        var ids: [String] = []
        try await withOwnService(backend: .sqlite, now: now, directory: folder.path + "/data") { service in
            for _ in 0..<40 {
                ids.append(try #require(try await save(service, photo).object()["id"] as? String))
            }
            try fill(filler)
            // The space already reserved by files is filled too.
            var isTaken = true
            for seed in 0..<200 where isTaken {
                do {
                    ids.append(try await service.history.save(scan(seed), photo: noise(seed)).id.description)
                } catch {
                    isTaken = false
                }
            }
            for _ in 0..<200 where isTaken == false {
                let answer = try await save(service, photo)
                guard answer.status == 200 else {
                    #expect(answer.status == 507 && answer.text.contains("delete scans"), "\(answer.text)")
                    break
                }
                ids.append(try #require(try answer.object()["id"] as? String))
            }
            #expect(try await save(service, photo).status == 507)
            #expect(try await service.classify(photo).status == 200)
            for id in ids.suffix(20) {
                let answer = try await service.request("DELETE", "/history/\(id)")
                #expect(answer.status == 204, "\(answer.text)")
            }
            #expect(try await service.request("GET", "/history/\(ids[0])/photo").status == 200)
        }
        // After a crash of the machine the disk is still full.
        try fill(filler)
        try await withOwnService(backend: .sqlite, now: now, directory: folder.path + "/data") { service in
            #expect(try await service.request("GET", "/history").object()["total"] as? Int == ids.count - 20)
            #expect(try await service.request("GET", "/history/\(ids[0])").status == 200)
            let gone = try await service.request("DELETE", "/history/\(ids[0])")
            #expect(gone.status == 204, "\(gone.text)")
            let all = try await service.request("DELETE", "/history")
            #expect(all.status == 204, "\(all.text)")
            #expect(try await service.request("GET", "/history").object()["total"] as? Int == 0)
            // The grace period is over. The rows are deleted although the disk is full.
            clock.withLock { $0 += 700 }
            #expect(try await service.history.maintain().expired == ids.count)
            try FileManager.default.removeItem(atPath: filler)
            #expect(try await save(service, photo).status == 200)
            #expect(try await service.history.checkIntegrity().problems == [])
        }
    }
    @Test(.enabled(if: canMount, comment)) func aLapTimerStaysAsItWasWhenItsChangeIsRefused() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 96)
        defer { disk.unmount() }
        try await withOwnService(directory: folder.path + "/data") { service in
            let made = try await service.request("POST", "/laps", body: Array("{}".utf8)).object()
            let timer = "/laps/\(try #require(made["id"] as? String))"
            try fill(folder.path + "/filler")
            for seed in 0..<200 where (try? await service.history.save(scan(seed), photo: noise(seed))) == nil { break }
            var line: [[Double]]?
            for number in 0..<5_000 {
                let wanted = [[0.5, 0], [0.5, 1 / Double(number + 1)]]
                let answer = try await service.request(
                    "PUT", timer + "/line", body: Array(#"{"line":\#(wanted)}"#.utf8))
                guard answer.status == 200 else {
                    #expect(answer.status == 507, "\(answer.text)")
                    break
                }
                line = wanted
            }
            #expect(try await service.request("GET", timer).object()["line"] as? [[Double]] == line)
        }
    }
    @Test(.enabled(if: canMount && PostgreSQLServer.isAvailable, comment)) func theFullDiskIsNamed() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 64)
        defer { disk.unmount() }
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let backend = HistoryConfiguration.Backend.postgreSQL(connectionString: database)
        try await withOwnService(backend: backend, directory: folder.path + "/data") { service in
            try fill(folder.path + "/filler")
            let answer = try await service.request(
                "POST", "/history/import", headers: [("Content-Type", "application/zip")], body: noise(1))
            #expect(answer.status == 507 && answer.text.contains("data folder"), "\(answer.text)")
            let photo = try #require(ClassifyTests.drawing)
            #expect(try await save(service, photo).status == 200)
        }
    }

    /// Otherwise the scans of others would find no room meanwhile.
    @Test(.enabled(if: canMount, comment)) func largeUploadsAreRefusedBeforeTheyFillTheDisk() async throws {
        let large = [UInt8](repeating: 7, count: 40 << 20)
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 64)
        defer { disk.unmount() }
        try await TrainingBench.withTraining(directory: folder.path + "/training") { service in
            let type = [("Content-Type", "application/zip")]
            let answer = try await service.request("POST", "/training?name=large", headers: type, body: large)
            #expect(answer.status == 507, "\(answer.text)")
            #expect(FileSystem.names(in: folder.path + "/training").isEmpty)
        }
        let service = try ServiceProcess(in: folder)
        _ = try await service.port()
        let form = [("Content-Type", "multipart/form-data; boundary=b")]
        let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.onnx\"\r\n\r\n"
        let body = Array(head.utf8) + large + Array("\r\n--b--\r\n".utf8)
        let answer = try await service.request("POST", "/models", headers: form, body: body)
        #expect(answer.status == 507, "\(answer.text)")
        #expect(FileSystem.names(in: service.dataDirectory + "/models/.upload").isEmpty)
    }

    /// Removing a training frees space, so it must need none.
    @Test(.enabled(if: canMount, comment)) func aTrainingIsRemovedFromAFullDisk() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 96)
        defer { disk.unmount() }
        let service = try ServiceProcess(in: folder)
        let answer = try await service.request(
            "POST", "/training?name=shapes", headers: [("Content-Type", "application/zip")],
            body: Pictures.zip(Pictures.files(count: 6)))
        let url = try #require(answer.headers["location"], "\(answer.text)")
        while try await service.request("GET", url).object()["state"] as? String != "done" {
            try await Task.sleep(for: .milliseconds(100))
        }
        try fill(folder.path + "/filler")
        let gone = try await service.request("DELETE", url)
        #expect(gone.status == 204, "\(gone.text)")
        #expect(try await service.request("GET", url).status == 404)
        #expect(FileSystem.names(in: service.dataDirectory + "/models/shapes").isEmpty)
    }
}
