import Foundation
import TestSupport
import Testing

/// The built service is killed (kill -9) in the middle of a video, with its real workers.
@Suite("Videos and the death of the process", .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(10)))
struct VideoKillTests {
    private typealias Object = [String: any Sendable]

    private func film(seconds: Double, to file: URL) async throws -> [UInt8] {
        try await FilmMaker.render(
            [
                "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=\(seconds)", "-f", "lavfi", "-i",
                "sine=duration=\(seconds)", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac",
            ], to: file)
        return [UInt8](try Data(contentsOf: file))
    }

    private func add(_ service: ServiceProcess, _ film: [UInt8], _ query: String) async throws -> String {
        let added = try await service.request(
            "POST", "/videos?\(query)", headers: [("Content-Type", "video/mp4")], body: film)
        #expect(added.status == 202, "\(added.text)")
        return try #require(added.headers["location"])
    }

    private func isOver(_ video: Object) -> Bool {
        ["done", "failed", "cancelled"].contains(video["state"] as? String)
    }

    private func isHalfDone(_ video: Object) -> Bool {
        video["state"] as? String == "working" && (video["frames_looked"] as? Int ?? 0) > 3
    }

    @Test func `work continues after the restart, and the results are complete`() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path).appending(path: "film.mp4")
        let (short, long) = (try await film(seconds: 1, to: file), try await film(seconds: 30, to: file))
        var service = try ServiceProcess(in: folder)
        let finished = try await add(service, short, "every=2&annotate=true")
        _ = try await service.object(finished, until: isOver)
        let tracks = try await service.request("GET", finished + "/tracks").body
        let annotated = try await service.request("GET", finished + "/annotated").body
        let interrupted = try await add(service, long, "every=10&annotate=true")
        let waiting = try await add(service, short, "every=1")
        _ = try await service.object(interrupted, until: isHalfDone)
        try await service.kill()

        service = try ServiceProcess(in: folder)
        let done = try await service.request("GET", finished).object()
        #expect(done["state"] as? String == "done")
        #expect(try await service.request("GET", finished + "/tracks").body == tracks)
        #expect(try await service.request("GET", finished + "/annotated").body == annotated)
        let resumed = try await service.object(interrupted, until: isOver)
        #expect(resumed["state"] as? String == "done", "\(resumed)")
        #expect(resumed["frames_looked"] as? Int == 300)
        let whole = try await service.request("GET", interrupted + "/annotated", headers: [("Range", "bytes=4-7")])
        #expect(whole.status == 206 && whole.text == "ftyp")
        #expect(try await service.object(waiting, until: isOver)["state"] as? String == "done")
        try await service.kill()
    }

    @Test(.enabled(if: SharedFolder.isThere)) func `scans that were saved before are not saved again`() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path).appending(path: "film.mp4")
        // There are many animals, so that the kill falls between the first scan and the last.
        let photos = [
            ("dog", "beagle", 0), ("cat", "siamese", 0), ("dog", "border_collie", 0), ("animal", "tiger", 0),
            ("cat", "maine_coon", 1), ("animal", "rabbit", 0),
        ]
        let sprites = try photos.enumerated().map { place, photo in
            Film.Sprite(
                try SharedFolder.photos(photo.0, photo.1)[photo.2], width: 190, height: 170,
                from: (10 + place / 2 * 215, 5 + place % 2 * 180), aSecond: (3, 0))
        }
        let scene = try SharedFolder.photos("object", "alp")[0]
        try await Film(seconds: 2, rate: 10, scene: scene, sprites: sprites).render(to: file)
        let film = [UInt8](try Data(contentsOf: file))
        var service = try ServiceProcess(in: folder)
        let path = try await add(service, film, "every=5&save=true")
        while try await service.request("GET", "/history").object()["total"] as? Int == 0 {
            let video = try await service.request("GET", path).object()
            try #require(!isOver(video), "\(video)")
            try await Task.sleep(for: .milliseconds(5))
        }
        try await service.kill()
        service = try ServiceProcess(in: folder)
        let resumed = try await service.object(path) { _ in true }
        #expect(resumed["state"] as? String != "done", "\(resumed)")
        let done = try await service.object(path, until: isOver)
        #expect(done["state"] as? String == "done", "\(done)")
        let scans = try #require(done["scans"] as? [String])
        #expect(scans.count > 2)
        let history = try await service.request("GET", "/history?limit=100").object()
        let saved = (history["items"] as? [Object] ?? []).compactMap { $0["id"] as? String }
        #expect(Set(saved) == Set(scans) && saved.count == scans.count, "\(saved) \(scans)")
        try await service.kill()
    }

    /// A video that kills the service each time must not be tried forever.
    @Test func `a video that was begun too often has failed, and says so`() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path).appending(path: "film.mp4")
        let long = try await film(seconds: 60, to: file)
        var service = try ServiceProcess(in: folder)
        let path = try await add(service, long, "every=25")
        for _ in 0..<3 {
            _ = try await service.object(path, until: isHalfDone)
            try await service.kill()
            service = try ServiceProcess(in: folder)
        }
        let failed = try await service.object(path, until: isOver)
        #expect(failed["state"] as? String == "failed", "\(failed)")
        let problem = try #require(failed["problem"] as? Object)
        #expect(problem["type"] as? String == "/problems/unreadable-video", "\(problem)")
        #expect((problem["detail"] as? String)?.contains("3 times") == true, "\(problem)")
        // The stream of events reports it too.
        #expect(try await service.request("GET", path + "/events").text.contains("event: failed"))
        try await service.kill()
    }
}
