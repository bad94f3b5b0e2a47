import Foundation
import HTTP
import Storage
import TestSupport
import Testing

/// Lap timers with the streams that feed them.
@Suite("Streams of lap timers", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(10))) struct LapStreamTests {
    private typealias Object = [String: any Sendable]

    private static let grey: [UInt8] = {
        var bytes = Array("BM".utf8) + [54 + 48, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0]
        bytes += [1, 0, 24, 0] + [UInt8](repeating: 0, count: 24) + [UInt8](repeating: 128, count: 48)
        return bytes
    }()

    private func look(_ camera: CameraClient, at frame: [UInt8], _ milliseconds: Double) throws {
        try camera.send(#"{"type":"frame","at_ms":\#(milliseconds)}"#)
        _ = try camera.look(at: frame)
    }

    @Test func oneKnownToOnesOwnModelAloneIsTimedByIt() async throws {
        let photo = [UInt8](try Data(contentsOf: SharedFolder.photos("object", "school_bus")[0]))
        try await ServiceWithModels.with(squeezenets: ["mine"]) { all in
            let service = all.service
            let seen = try await service.classify(photo, query: "model=mine&save=false&top=1").object()
            let label = try #require((seen["predictions"] as? [Object])?.first?["label"] as? String)
            let made = try await service.request(
                "POST", "/laps", body: Array(#"{"label":"\#(label)","model":"mine","minimum_lap_s":1}"#.utf8)
            ).object()
            let id = try #require(made["id"] as? String)
            #expect(made["model"] as? String == "mine")
            _ = try await service.request("PUT", "/laps/\(id)/state", body: Array(#"{"state":"start"}"#.utf8))
            let port = service.port
            let model = try await onThread { () -> Object? in
                // The timer's model analyses the stream's frames, although the stream names no model. The answers have
                // boxes too.
                let camera = try CameraClient(port: port, query: "laps=\(id)")
                for (frame, time) in [
                    (photo, 0.0), (Self.grey, 500), (Self.grey, 1_000), (photo, 2_500), (Self.grey, 3_000),
                    (photo, 5_000),
                ] {
                    try look(camera, at: frame, time)
                }
                let answer = try camera.look(at: photo)
                try camera.send(.close, [])
                while try camera.receive() != nil {}
                return answer["model"] as? Object
            }
            #expect(model?["name"] as? String == "mine")
            let laps = try await service.request("GET", "/laps/\(id)").object()["laps"] as? [Object] ?? []
            #expect(laps.map { $0["label"] as? String } == [label, label])
            // The lap ends between the frame without the object and the one with it.
            #expect((1_000...2_500).contains(try #require(laps.first?["lap_ms"] as? Double)))
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func aLapThatTheStoreMissedIsStoredLater() async throws {
        let photo = [UInt8](try Data(contentsOf: SharedFolder.photos("object", "school_bus")[0]))
        let server = try PostgreSQLServer()
        let backend = HistoryConfiguration.Backend.postgreSQL(connectionString: try server.newDatabase())
        try await withOwnService(backend: backend) { service in
            let made = try await service.request(
                "POST", "/laps", body: Array(#"{"label":"school_bus","minimum_lap_s":1}"#.utf8)
            ).object()
            let id = try #require(made["id"] as? String)
            _ = try await service.request("PUT", "/laps/\(id)/state", body: Array(#"{"state":"start"}"#.utf8))
            let port = service.port
            try await onThread {
                let camera = try CameraClient(port: port, query: "laps=\(id)&detect=false")
                for (frame, time) in [(photo, 0.0), (Self.grey, 500), (Self.grey, 1_000)] {
                    try look(camera, at: frame, time)
                }
                try server.control("-m immediate stop")
                try camera.send(#"{"type":"frame","at_ms":2500}"#)
                try camera.send(.binary, photo)
                let problem = try camera.receive("problem")
                #expect(problem["problem"] as? String == "/problems/storage-unavailable", "\(problem)")
                try camera.send(.close, [])
                while try camera.receive() != nil {}
            }
            try server.control("start")
            try await eventually {
                let timer = try? await service.request("GET", "/laps/\(id)").object()
                return (timer?["laps"] as? [Object])?.count == 1
            }
            let other = try await HistoryStore.open(
                HistoryConfiguration(backend: backend, directory: service.dataDirectory))
            #expect(try await other.scans.laps().first?.document.contains("school_bus") == true)
            try await other.close()
        }
    }

    @Test func aSilentStreamGivesItsTimerToTheNext() async throws {
        try await ServiceWithModels.with(squeezenets: []) { all in
            let made = try await all.service.request("POST", "/laps", body: Array("{}".utf8)).object()
            let id = try #require(made["id"] as? String)
            let port = all.service.port
            try await onThread {
                let silent = try CameraClient(port: port, query: "laps=\(id)&detect=false")
                _ = try silent.look(at: Self.grey)
                #expect(try CameraClient(port: port, query: "laps=\(id)").head.hasPrefix("HTTP/1.1 409 "))
                Thread.sleep(forTimeInterval: 6)
                let next = try CameraClient(port: port, query: "laps=\(id)&detect=false")
                try #require(next.isOpen, "\(next.head)")
                _ = try next.look(at: Self.grey)
                #expect(try silent.receive("problem")["problem"] as? String == "/problems/conflict")
                while try silent.receive() != nil {}
                // The end of the silent stream leaves the timer with the next one.
                _ = try next.look(at: Self.grey)
                #expect(try CameraClient(port: port, query: "laps=\(id)").head.hasPrefix("HTTP/1.1 409 "))
            }
        }
    }

    @Test func aClockThatIsSetMakesNoLap() async throws {
        let photo = [UInt8](try Data(contentsOf: SharedFolder.photos("object", "school_bus")[0]))
        try await ServiceWithModels.with(squeezenets: ["mine"]) { all in
            let service = all.service
            let made = try await service.request(
                "POST", "/laps", body: Array(#"{"model":"mine","minimum_lap_s":60}"#.utf8)
            ).object()
            let id = try #require(made["id"] as? String)
            let port = service.port
            let camera = try await onThread { () -> CameraClient in
                let camera = try CameraClient(port: port, query: "laps=\(id)&detect=false")
                for time in [0.0, 100] { try look(camera, at: photo, time) }
                return camera
            }
            let start = Array(#"{"state":"start"}"#.utf8)
            #expect(try await service.request("PUT", "/laps/\(id)/state", body: start).status == 200)
            try await onThread {
                try look(camera, at: photo, 200)
                try look(camera, at: Self.grey, 300)
                for told in [3_600_300.0, 0, 3_600_000] {
                    try camera.send(#"{"type":"frame","at_ms":\#(told)}"#)
                    let problem = try camera.receive("problem")
                    #expect(problem["problem"] as? String == "/problems/clock-step")
                    // The stream's clock includes the time that has passed.
                    let answer = try camera.look(at: told == 0 ? Self.grey : photo)
                    #expect((300...60_000).contains(try #require(answer["at_ms"] as? Double)))
                }
                try camera.send(.close, [])
                while try camera.receive() != nil {}
            }
            let timer = try await service.request("GET", "/laps/\(id)").object()
            #expect((timer["laps"] as? [Object])?.isEmpty == true && timer["state"] as? String == "lapping")
        }
    }
}
