import Foundation
import TestSupport
import Testing

/// The built service is killed (kill -9) in every phase of a training.
@Suite("Trainings and the death of the process", .timeLimit(.minutes(10))) struct TrainingKillTests {
    private typealias Object = [String: any Sendable]

    /// There are many classes, so that the fit takes some time.
    private static let photos = (0..<40).flatMap { label in
        (0..<5).map { index in
            ("c\(label)/\(index).bmp", Pictures.disc(seed: label * 100 + index, noise: 60 + label))
        }
    }
    private static let query = "method=logistic&augment=none&validation=0&iterations=1000&regularisation=0.000001"

    private func begin(_ service: ServiceProcess, _ files: [(String, [UInt8])], _ query: String) async throws -> String
    {
        let answer = try await service.request(
            "POST", "/training?\(query)", headers: [("Content-Type", "application/zip")], body: Pictures.zip(files))
        #expect(answer.status == 202, "\(answer.text)")
        return try #require(answer.headers["location"])
    }

    private func isOver(_ training: Object) -> Bool {
        ["done", "failed", "cancelled"].contains(training["state"] as? String)
    }

    /// Every version must have all its files.
    private func checkVersions(in folder: TemporaryFolder) throws {
        let models = folder.path + "/data/models"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: models)) ?? [] where !name.hasPrefix(".") {
            for version in try FileManager.default.contentsOfDirectory(atPath: "\(models)/\(name)") {
                guard Int(version) != nil else { continue }
                let files = try FileManager.default.contentsOfDirectory(atPath: "\(models)/\(name)/\(version)")
                for file in ["manifest.json", "model.onnx", "head.json", "report.json", "training.json"] {
                    #expect(files.contains(file), "\(name)@\(version) has \(files)")
                }
            }
        }
    }

    @Test func `a training goes on after the restart, in whatever phase the process died`() async throws {
        let folder = try TemporaryFolder()
        var service = try ServiceProcess(in: folder)
        let long = try await begin(service, Self.photos, "name=long&deploy=true&\(Self.query)")
        let waiting = try await begin(service, Pictures.files(count: 6), "name=after&deploy=true")
        for phase in ["looking", "fitting", "saving"] {
            // Saving takes a moment only.
            let seen = try await service.object(long, every: .milliseconds(2)) {
                $0["state"] as? String == phase && ($0["progress"] as? Double ?? 0) > 0.01 || isOver($0)
            }
            #expect(seen["state"] as? String == phase, "\(phase): \(seen)")
            try await service.kill()
            try checkVersions(in: folder)
            service = try ServiceProcess(in: folder)
            let queued = try await service.request("GET", waiting).object()
            #expect(queued["state"] as? String == "waiting", "\(queued)")
        }
        let done = try await service.object(long, until: isOver)
        let result = try #require(done["result"] as? Object, "\(done)")
        #expect(result["version"] as? String == "1" && result["deployed"] as? Bool == true)
        let after = try await service.object(waiting, until: isOver)
        #expect(after["state"] as? String == "done", "\(after)")
        try await service.kill()

        // The deployed version answers. No photos and no unfinished files remain.
        try checkVersions(in: folder)
        service = try ServiceProcess(in: folder)
        let photo = Pictures.disc(seed: 90)
        let answer = try await service.request(
            "POST", "/classify?save=false&model=after", headers: [("Content-Type", "image/bmp")], body: photo)
        #expect(answer.text.contains(#""label":"disc""#), "\(answer.text)")
        #expect(try await service.request("GET", long).object()["state"] as? String == "done")
        let data = folder.path + "/data"
        #expect(((try? FileManager.default.contentsOfDirectory(atPath: data + "/models/.training")) ?? []) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: data + "/training") == ["features"])
        let versions = try FileManager.default.contentsOfDirectory(atPath: data + "/models/long").filter {
            Int($0) != nil
        }
        #expect(versions == ["1"])
        try await service.kill()
    }

    @Test func `an upload that was cut off leaves nothing`() async throws {
        let folder = try TemporaryFolder()
        var service = try ServiceProcess(in: folder)
        let archive = Pictures.zip(Pictures.files(count: 30))
        let port = try await service.port()
        let client = try await onThread {
            let client = try RawClient(port: port)
            try client.send(
                "POST /training?name=cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/zip\r\n"
                    + "Content-Length: \(archive.count)\r\n\r\n")
            try client.send(Array(archive[..<(archive.count / 2)]))
            return client
        }
        let directory = folder.path + "/data/training"
        func jobs() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).filter { $0 != "features" }
        }
        try await eventually { !jobs().isEmpty }
        try await service.kill()
        _ = client
        #expect(jobs().count == 1)
        service = try ServiceProcess(in: folder)
        #expect(try await service.request("GET", "/training").object()["total"] as? Int == 0)
        #expect(jobs() == [])
        let again = try await begin(service, Pictures.files(count: 4), "name=cut")
        #expect(try await service.object(again, until: isOver)["state"] as? String == "done")
        try await service.kill()
    }
}
