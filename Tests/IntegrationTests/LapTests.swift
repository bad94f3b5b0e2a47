import Foundation
import HTTP
import Imaging
import TestSupport
import Testing

/// `/laps` over real sockets. A real photo of a cat passes a camera.
@Suite("Lap timers", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(10))) struct LapTests {
    private typealias Object = [String: any Sendable]

    /// Frames of 640 × 480 pixels in which a cat's photo moves from left to right.
    private func frames(_ count: Int) throws -> (passage: [[UInt8]], empty: [UInt8]) {
        let file = [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
        let cat = try ImageSource(file).pixels(DecodeRequest(width: 240, height: 240, crop: .fill))
        func bitmap(_ left: Int?) -> [UInt8] {
            var pixels = [UInt8](repeating: 128, count: 640 * 480 * 3)
            if let left {
                for row in 0..<240 {
                    for column in 0..<240 where (0..<640).contains(left + column) {
                        let (source, target) = ((row * 240 + column) * 3, ((row + 120) * 640 + left + column) * 3)
                        for channel in 0..<3 { pixels[target + channel] = cat.bytes[source + channel] }
                    }
                }
            }
            return Self.bmp(pixels, width: 640, height: 480)
        }
        return ((0..<count).map { bitmap($0 * 400 / (count - 1)) }, bitmap(nil))
    }

    /// The bottom row comes first, and blue before red.
    private static func bmp(_ rgb: [UInt8], width: Int, height: Int) -> [UInt8] {
        func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        var bytes = Array("BM".utf8) + four(54 + rgb.count) + four(0) + four(54)
        bytes += four(40) + four(width) + four(height) + [1, 0, 24, 0] + four(0) + four(rgb.count)
        bytes += four(2835) + four(2835) + four(0) + four(0)
        for row in (0..<height).reversed() {
            for column in 0..<width {
                let index = (row * width + column) * 3
                bytes += [rgb[index + 2], rgb[index + 1], rgb[index]]
            }
        }
        return bytes
    }

    @Test func whatCanBeFollowedIsListedByNameInBothLanguages() async throws {
        try await ServiceWithModels.with(squeezenets: []) { all in
            for (language, bus, cat) in [("en", "Bus", "Siamese"), ("fi", "Linja-auto", "Siamilainen")] {
                let answer = try await all.service.request("GET", "/laps/labels?lang=\(language)")
                #expect(answer.status == 200 && answer.headers["content-language"] == language)
                let items = try #require(try answer.object()["items"] as? [Object])
                let found = Dictionary(
                    uniqueKeysWithValues: items.compactMap { item in (item["label"] as? String).map { ($0, item) } })
                #expect(found.count == items.count, "each label once")
                #expect(found["bus"]?["name"] as? String == bus && found["bus"]?["by"] as? String == "boxes")
                #expect(found["siamese"]?["name"] as? String == cat)
                #expect(found["siamese"]?["by"] as? String == "classification")
            }
        }
    }

    @Test func aRefusedTimerLeavesTheOtherSettingsAsTheyWere() async throws {
        let cat = try frames(3).passage[1]
        try await ServiceWithModels.with(squeezenets: []) { all in
            let made = try await all.service.request(
                "POST", "/laps", headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
            let id = try #require(try made.object()["id"] as? String)
            let port = all.service.port
            try await onThread {
                let first = try CameraClient(port: port, query: "laps=\(id)")
                _ = try first.look(at: cat)
                let second = try CameraClient(port: port)
                _ = try second.look(at: cat)
                try second.send(#"{"type":"settings","detect":false,"laps":"\#(id)"}"#)
                #expect(try second.receive("problem")["problem"] as? String == "/problems/conflict")
                let answer = try second.look(at: cat)
                #expect((answer["boxes"] as? [Object])?.isEmpty == false, "\(answer)")
                // The answer to the next frame comes after the timer was left.
                try first.send(#"{"type":"settings","laps":null}"#)
                _ = try first.look(at: cat)
                var refusals = 0
                try second.send(#"{"type":"settings","detect":false,"laps":"\#(id)"}"#)
                try second.send(frame: cat)
                while let message = try second.receive(), message["type"] as? String != "answer" { refusals += 1 }
                #expect(refusals == 0)
            }
        }
    }

    @Test func aLapIsTimedWithItsPictureAndCanBeTakenBack() async throws {
        let (passage, empty) = try frames(12)
        try await ServiceWithModels.with(squeezenets: []) { all in
            let service = all.service
            let made = try await service.request(
                "POST", "/laps", headers: [("Content-Type", "application/json")],
                body: Array(#"{"minimum_lap_s":1,"line":[[0.5,0],[0.5,1]]}"#.utf8))
            #expect(made.status == 201)
            let id = try #require(try made.object()["id"] as? String)
            #expect(try made.object()["state"] as? String == "warm_up")
            #expect(made.headers["location"] == "/laps/\(id)")
            let start = Array(#"{"state":"start"}"#.utf8)
            let early = try await service.request("PUT", "/laps/\(id)/state", body: start)
            #expect(early.status == 409 && early.text.contains("no-candidate"))

            let port = service.port
            let camera = try await onThread { try CameraClient(port: port, query: "laps=\(id)") }
            _ = try await onThread { try camera.look(at: passage[0]) }
            // A second stream feeds the same timer.
            let second = try await onThread { try CameraClient(port: port, query: "laps=\(id)").head }
            #expect(second.hasPrefix("HTTP/1.1 409 "))
            // The candidates appear shortly after the answer.
            var started = try await service.request("PUT", "/laps/\(id)/state", body: start)
            for _ in 0..<50 where started.status != 200 {
                try await Task.sleep(for: .milliseconds(20))
                started = try await service.request("PUT", "/laps/\(id)/state", body: start)
            }
            #expect(try started.object()["label"] as? String == "cat", "\(started.text)")
            #expect(try await service.request("PUT", "/laps/\(id)/state", body: start).status == 409)
            // The client's clock counts, so the result does not depend on the machine's speed.
            let laps = try await onThread { () -> [Object] in
                var (laps, milliseconds) = ([Object](), 0)
                func show(_ frame: [UInt8]) throws {
                    milliseconds += 60
                    try camera.send(#"{"type":"frame","at_ms":\#(milliseconds)}"#)
                    try camera.send(frame: frame)
                    while let message = try camera.receive(), message["type"] as? String != "answer" {
                        if message["type"] as? String == "lap" { laps.append(message) }
                    }
                }
                for _ in 0..<2 {
                    for frame in passage { try show(frame) }
                    // The cat is away for the time of a lap, in empty frames.
                    for _ in 0..<25 { try show(empty) }
                }
                return laps
            }
            #expect(laps.count == 1)
            let lap = try #require(laps.first)
            #expect(lap["number"] as? Int == 1 && lap["name"] as? String == "Cat")
            // Two passings are 37 frames apart.
            #expect(abs((lap["lap_ms"] as? Double ?? 0) - 37 * 60) < 60)
            let timer = try await service.request("GET", "/laps/\(id)").object()
            #expect((timer["laps"] as? [Object])?.count == 1 && timer["connected"] as? Bool == true)
            #expect(timer["best_ms"] as? Double == lap["lap_ms"] as? Double)
            let photo = try await service.request("GET", try #require(lap["photo_url"] as? String))
            #expect(photo.status == 200 && photo.headers["content-type"] == "image/jpeg")
            let csv = try await service.request("GET", "/laps/\(id)/export?format=csv")
            #expect(csv.text.contains("number,runner,track,label,name,started_ms,lap_ms,confidence\r\n1,1,"))
            #expect(try await service.request("GET", "/laps").items().map { $0["id"] as? String } == [id])
            #expect(try await service.request("DELETE", "/laps/\(id)/laps/1").status == 204)
            #expect(try await service.request("DELETE", "/laps/\(id)/laps/1").status == 404)
            let undone = try await service.request("GET", "/laps/\(id)").object()
            #expect((undone["laps"] as? [Object])?.isEmpty == true)
            #expect(try await service.request("GET", "/laps/\(id)/laps/1/photo").status == 404)
            #expect(try await service.request("DELETE", "/laps/\(id)").status == 204)
            #expect(try await service.request("GET", "/laps/\(id)").status == 404)
        }
    }

    @Test func whatIsPointedAtIsTimedByItsLook() async throws {
        let (passage, empty) = try frames(12)
        try await ServiceWithModels.with(squeezenets: []) { all in
            let service = all.service
            let made = try await service.request(
                "POST", "/laps", body: Array(#"{"minimum_lap_s":1,"label":"mine"}"#.utf8)
            ).object()
            let id = try #require(made["id"] as? String)
            let port = service.port
            let (pointed, problems) = try await onThread { () -> (Object, [String]) in
                let alone = try CameraClient(port: port)
                try alone.send(#"{"type":"point","x":0.5,"y":0.5}"#)
                var problems = [try alone.receive("problem")["problem"] as? String ?? ""]
                let camera = try CameraClient(port: port, query: "laps=\(id)")
                for message in [
                    #"{"type":"point","x":0.5,"y":0.5}"#, #"{"type":"point","x":2,"y":0}"#,
                    #"{"type":"point","x":0.1,"y":0.1,"id":"t"}"#, #"{"type":"unpoint","x":0}"#,
                ] {
                    try camera.send(message)
                    problems.append(try camera.receive("problem")["problem"] as? String ?? "")
                }
                _ = try camera.look(at: passage[6])
                // Nothing can be distinguished on the grey wall.
                try camera.send(#"{"type":"point","x":0.97,"y":0.05}"#)
                problems.append(try camera.receive("problem")["problem"] as? String ?? "")
                try camera.send(#"{"type":"point","x":0.52,"y":0.5}"#)
                let pointed = try camera.receive("pointed")
                try camera.send(.close, [])
                while try camera.receive() != nil {}
                return (pointed, problems)
            }
            #expect(
                problems == [
                    "/problems/conflict", "/problems/conflict", "/problems/malformed-message",
                    "/problems/unknown-setting", "/problems/unknown-setting", "/problems/nothing-pointed-at",
                ], "\(problems)")
            #expect(pointed["id"] as? String == id && pointed["label"] as? String == "mine", "\(pointed)")
            let warm = try await service.request("GET", "/laps/\(id)").object()
            #expect((warm["pointed"] as? Object)?["width"] as? Double ?? 0 > 0.02, "\(warm)")
            let start = Array(#"{"state":"start"}"#.utf8)
            #expect(try await service.request("PUT", "/laps/\(id)/state", body: start).status == 200)
            // Another stream still knows the object. Pointing is refused while a lap is timed.
            let late = try await onThread { () -> String? in
                let camera = try CameraClient(port: port, query: "laps=\(id)")
                var milliseconds = 0
                func show(_ frame: [UInt8]) throws -> CameraClient.Message {
                    milliseconds += 60
                    try camera.send(#"{"type":"frame","at_ms":\#(milliseconds)}"#)
                    return try camera.look(at: frame)
                }
                var seen = 0
                _ = try show(empty)
                for _ in 0..<3 {
                    for frame in passage { seen += try show(frame)["pointed"] is Object ? 1 : 0 }
                    for _ in 0..<25 { _ = try show(empty) }
                }
                #expect(seen >= 18, "in sight in \(seen) of 36 frames")
                try camera.send(#"{"type":"unpoint"}"#)
                let problem = try camera.receive("problem")["problem"] as? String
                try camera.send(.close, [])
                while try camera.receive() != nil {}
                return problem
            }
            #expect(late == "/problems/conflict")
            let timer = try await service.request("GET", "/laps/\(id)").object()
            let laps = timer["laps"] as? [Object] ?? []
            #expect(laps.count == 2 && laps.allSatisfy { $0["label"] as? String == "mine" }, "\(timer)")
            // Two passings are 37 frames apart.
            #expect(laps.allSatisfy { abs(($0["lap_ms"] as? Double ?? 0) - 37 * 60) < 60 }, "\(laps)")
            #expect(timer["counting"] as? String == "line")
        }
    }

    @Test func aLabelOfNoModelIsRefusedAtTheStart() async throws {
        try await withService { service in
            for (label, status) in [("caar", 409), ("car", 200), ("sports_car", 200), ("siamese", 200)] {
                let made = try await service.request(
                    "POST", "/laps", body: Array(#"{"label":"\#(label)"}"#.utf8)
                ).object()
                let id = try #require(made["id"] as? String)
                let other = try await service.request(
                    "PUT", "/laps/\(id)/state", body: Array(#"{"state":"start","label":"dog"}"#.utf8))
                #expect(other.status == 400 && other.text.contains("“\(label)”"), "\(other.text)")
                let started = try await service.request(
                    "PUT", "/laps/\(id)/state", body: Array(#"{"state":"start"}"#.utf8))
                #expect(started.status == status, "\(label): \(started.text)")
                let state = try await service.request("GET", "/laps/\(id)").object()["state"] as? String
                #expect(state == (status == 200 ? "start" : "warm_up"))
                guard status == 409 else { continue }
                #expect(started.text.contains("“caar”") && started.text.contains("/laps/labels"), "\(started.text)")
            }
        }
    }

    @Test func whatCannotBeTimedIsRefusedWithTheReason() async throws {
        try await withService { service in
            for (body, word) in [
                ("no json", "JSON"), (#"{"colour":1}"#, "colour"), (#"{"line":[[0,0],[2,0]]}"#, "line"),
                (#"{"line":[[0.5,0.5],[0.5,0.5]]}"#, "line"), (#"{"line":[[0,0]]}"#, "line"),
                (#"{"minimum_lap_s":0}"#, "minimum_lap_s"), (#"{"threshold":2}"#, "threshold"),
                (#"{"label":5}"#, "label"),
            ] {
                let answer = try await service.request("POST", "/laps", body: Array(body.utf8))
                #expect(answer.status == 400 && answer.text.contains(word), "\(body): \(answer.text)")
            }
            #expect(
                try await service.request("POST", "/laps", body: Array(#"{"model":"nothing"}"#.utf8)).status == 404)
            #expect(try await service.request("GET", "/laps/01JD8ZJ3Q1S9M7W5K2T4V6X8YA").status == 404)
            #expect(try await service.request("GET", "/laps/x/events").status == 404)
            let made = try await service.request("POST", "/laps", body: Array(#"{"label":"car"}"#.utf8)).object()
            let id = try #require(made["id"] as? String)
            for body in [#"{"state":"end"}"#, #"{"state":"lapping"}"#, "{}", "x"] {
                #expect(
                    try await service.request("PUT", "/laps/\(id)/state", body: Array(body.utf8)).status == 400,
                    "\(body)")
            }
            #expect(try await service.request("GET", "/laps/\(id)/export?format=pdf").status == 400)
            let started = try await service.request("PUT", "/laps/\(id)/state", body: Array(#"{"state":"start"}"#.utf8))
            #expect(try started.object()["state"] as? String == "start")
            let stopped = try await service.request(
                "PUT", "/laps/\(id)/state", body: Array(#"{"state":"warm_up"}"#.utf8))
            #expect(try stopped.object()["state"] as? String == "warm_up")
            let path = "/laps/\(id)/line"
            let line = Array(#"{"line":[[0.2,0],[0.3,1]]}"#.utf8)
            #expect(
                try await service.request("PUT", path, body: line).object()["line"] as? [[Double]] == [
                    [0.2, 0], [0.3, 1],
                ])
            for body in [#"{"line":[[0.2,0],[0.2,0]]}"#, #"{"line":[[0.2,0]]}"#, #"{"line":[[2,0],[0,1]]}"#, "{}", "x"]
            {
                #expect(try await service.request("PUT", path, body: Array(body.utf8)).status == 400, "\(body)")
            }
            #expect(
                try await service.request("GET", "/laps/\(id)").object()["line"] as? [[Double]] == [
                    [0.2, 0], [0.3, 1],
                ])
            let middle = try await service.request("PUT", path, body: Array(#"{"line":null}"#.utf8))
            #expect(try middle.object()["line"] == nil)
            #expect(try await service.request("DELETE", "/laps/\(id)").status == 204)
        }
    }
}
