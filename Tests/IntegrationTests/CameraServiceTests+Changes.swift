import Foundation
import TestSupport
import Testing

/// Cameras that change while they are watched, and streams whose clocks do.
extension CameraServiceTests {
    @Test func aCameraThatIsDeletedWhileItIsChangedIsGone() async throws {
        let service = try service()
        for round in 0..<10 {
            #expect(try await add(service, #"{"name":"Yard","url":"rtsp://127.0.0.1:1/yard"}"#).status == 201)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        let isDeletion = number == 1 + round % 8
                        let answer = try await service.request(
                            isDeletion ? "DELETE" : "PATCH", "/cameras/yard",
                            headers: [("Content-Type", "application/json")],
                            body: isDeletion ? "" : #"{"looks_per_second":\#(number)}"#)
                        #expect([200, 204, 404].contains(answer.status), "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            let stored = try String(contentsOfFile: service.dataDirectory + "/cameras/cameras.json", encoding: .utf8)
            #expect(stored == "[]", "\(stored)")
        }
    }

    @Test func theCountsOfACameraGoOnWhenItIsChanged() async throws {
        let service = try service()
        _ = try await add(service, #"{"name":"Yard","url":"rtsp://127.0.0.1:1/yard"}"#)
        func failures(_ camera: RawResponse) throws -> Int {
            try #require(camera.object()["counts"] as? [String: Int])["failures"] ?? 0
        }
        try await eventually { try await failures(service.request("GET", "/cameras/yard")) > 0 }
        let changed = try await service.request("PATCH", "/cameras/yard", body: #"{"enabled":false}"#)
        #expect(try failures(changed) > 0, "\(changed.text)")
    }

    @Test func thePictureStaysWhenACameraIsChangedAndGoesWithItsAddress() async throws {
        try await film("porch.mp4", cat: true)
        let service = try service()
        _ = try await add(service, #"{"name":"Porch","url":"file:porch.mp4"}"#)
        func change(_ camera: String) async throws -> (pictures: Int, status: Int) {
            let changed = try await service.request("PATCH", "/cameras/porch", body: camera)
            let counts = try #require(changed.object()["counts"] as? [String: Int])
            return (counts["pictures"] ?? 0, try await service.request("GET", "/cameras/porch/picture").status)
        }
        try await eventually(within: .seconds(60)) {
            try await service.request("GET", "/cameras/porch").object()["state"] as? String == "ended"
        }
        let off = try await change(#"{"enabled":false}"#)
        #expect(off.pictures > 0 && off.status == 200)
        let moved = try await change(#"{"url":"rtsp://127.0.0.1:1/porch"}"#)
        #expect(moved.pictures == 0 && moved.status == 404)
    }

    @Test func aSightingBecomesAScanWhileTheRecogniserIsBusy() async throws {
        try await film("porch.mp4", cat: true)
        let photo = try Array(Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
        let service = try service(["recognition.max_queue_size": "1"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while !Task.isCancelled {
                        _ = try await service.request(
                            "POST", "/classify?save=false", headers: [("Content-Type", "image/jpeg")], body: photo)
                    }
                }
            }
            _ = try await add(service, #"{"name":"Porch","url":"file:porch.mp4"}"#)
            try await eventually(within: .seconds(120)) {
                try await service.request("GET", "/cameras/porch").object()["state"] as? String == "ended"
            }
            group.cancelAll()
        }
        #expect(try await service.request("GET", "/history").items().count == 1, "\(service.log)")
    }

    @Test func whoeverIsThereWhenACameraIsTurnedOffAndDeletedLeavesNoPicture() async throws {
        try await film("long.mp4", cat: true, until: 120, of: 120)
        let service = try service()
        _ = try await add(service, #"{"name":"Porch","url":"file:long.mp4"}"#)
        try await eventually {
            try await service.request("GET", "/cameras/porch/sightings").items().isEmpty == false
        }
        let off = try await service.request("PATCH", "/cameras/porch", body: #"{"enabled":false}"#)
        #expect(off.status == 200)
        #expect(try await service.request("DELETE", "/cameras/porch").status == 204)
        // The visit ended, so its scan comes. The sighting would be stored right after it.
        try await eventually { try await !service.request("GET", "/history").items().isEmpty }
        try await Task.sleep(for: .seconds(1))
        let files = try FileManager.default.contentsOfDirectory(
            atPath: service.dataDirectory + "/cameras/sightings")
        #expect(files == ["tally.json"])
    }

    /// The stream's own times run ahead of the machine's clock.
    @Test func theTimesOfANetworkCameraAreThoseOfTheMachine() async throws {
        try await film("fast.ts", cat: true, until: 300, of: 300)
        let stream = try Array(Data(contentsOf: URL(filePath: films.path).appending(path: "fast.ts")))
        let camera = try HTTPReceiver { _ in (200, "Content-Type: video/mp2t\r\n", stream) }
        let service = try service()
        _ = try await add(service, "{\"name\":\"Fast\",\"url\":\"http://127.0.0.1:\(camera.port)/v.ts\"}")
        let sightings = "/cameras/fast/sightings"
        try await eventually { try await !service.request("GET", sightings).items().isEmpty }
        let times = try await service.request("GET", sightings).items().compactMap { $0["last_seen"] as? String }
        #expect(times.count > 0 && times.allSatisfy { $0 < Date().ISO8601Format() }, "\(times)")
    }

    /// A camera that has set its clock, or a stream that was begun anew behind a proxy.
    @Test func aStreamWhoseClockIsSetBackIsWatchedOn() async throws {
        try await film("yard.ts", cat: false, of: 320)
        try await film("cat.ts", cat: true, until: 300, of: 300)
        let stream = try ["yard.ts", "cat.ts"].flatMap {
            try Array(Data(contentsOf: URL(filePath: films.path).appending(path: $0)))
        }
        let camera = try HTTPReceiver { _ in (200, "Content-Type: video/mp2t\r\n", stream) }
        let service = try service()
        _ = try await add(service, "{\"name\":\"Reset\",\"url\":\"http://127.0.0.1:\(camera.port)/v.ts\"}")
        try await eventually { try await !service.request("GET", "/cameras/reset/sightings").items().isEmpty }
    }

    @Test func aCatThatStaysWhileTheCameraReconnectsIsOneSighting() async throws {
        try await film("cat.ts", cat: true, until: 120, of: 120)
        let stream = try Array(Data(contentsOf: URL(filePath: films.path).appending(path: "cat.ts")))
        let camera = try HTTPReceiver { _ in (200, "Content-Type: video/mp2t\r\n", stream) }
        let service = try service()
        _ = try await add(service, "{\"name\":\"Yard\",\"url\":\"http://127.0.0.1:\(camera.port)/v.ts\"}")
        func counts() async throws -> [String: Int] {
            try #require(try await service.request("GET", "/cameras/yard").object()["counts"] as? [String: Int])
        }
        try await eventually {
            let found = try await counts()
            return found["failures"] ?? 0 >= 3 && found["sightings"] ?? 0 >= 1
        }
        let found = try await counts()
        #expect(found["sightings"] == 1, "\(found)")
    }
}
