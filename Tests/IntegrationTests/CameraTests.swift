import API
import Base
import Foundation
import HTTP
import Storage
import Testing
import TestSupport

/// `GET /live` over real sockets. YOLOX-Nano is the detector beside the embedded model.
@Suite("Cameras", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(10))) struct CameraTests {
    private typealias Object = [String: any Sendable]

    /// A real photo of one Maine Coon.
    private func cat() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
    }

    private func box(_ answer: Object) throws -> Object {
        try #require((answer["boxes"] as? [Object])?.first, "\(answer)")
    }

    @Test func framesAreAnsweredWithTracksBreedsAndAStableName() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            try await onThread {
                let camera = try CameraClient(port: port, query: "top=2&heads=all")
                #expect(camera.isOpen)
                var answers: [Object] = []
                for _ in 0..<6 { answers.append(try camera.look(at: photo)) }
                #expect(answers.map { $0["frame"] as? Int } == [1, 2, 3, 4, 5, 6])
                #expect(answers[0]["at_ms"] as? Double == 0 && answers[0]["stable"] is NSNull)
                let last = answers[5]
                #expect(last["head"] as? String == "cats" && last["abstained"] as? Bool == false)
                #expect((last["predictions"] as? [Object])?.first?["label"] as? String == "maine_coon")
                #expect((last["stable"] as? Object)?["name"] as? String == "Maine Coon")
                #expect((last["heads"] as? Object)?["zoo"] != nil)
                #expect(last["dropped"] as? Int == 0)
                let tracks = try answers.map { try box($0)["track"] as? Int }
                #expect(tracks == [1, 1, 1, 1, 1, 1])
                let cat = try box(last)
                #expect(cat["label"] as? String == "cat")
                #expect((cat["breed"] as? Object)?["label"] as? String == "maine_coon")
                // The settings change during the stream.
                try camera.send(#"{"type":"settings","lang":"fi","heads":null,"top":1}"#)
                let finnish = try camera.look(at: photo)
                let kissa = try box(finnish)
                #expect(kissa["name"] as? String == "Kissa")
                #expect(finnish["heads"] == nil && (finnish["predictions"] as? [Object])?.count == 1)
                try camera.send(#"{"type":"settings","detect":false}"#)
                let classified = try camera.look(at: photo)
                #expect((classified["boxes"] as? [Object])?.isEmpty == true)
                try camera.send(.close, [])
                let isOver = try camera.receive() == nil
                #expect(isOver)
            }
            let metrics = try await all.service.request("GET", "/metrics").text
            #expect(metrics.contains(#"menagerie_live_frames_total{outcome="answered"} 8"#))
            #expect(metrics.contains("menagerie_live_sessions 0"))
        }
    }

    @Test func aTapStaysWithItsAnimalAndAFrameIsKept() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            let kept = try await onThread { () -> Object in
                let camera = try CameraClient(port: port)
                let seen = try box(try camera.look(at: photo))
                let (x, y) = (try #require(seen["x"] as? Double), try #require(seen["y"] as? Double))
                let (width, height) = (
                    try #require(seen["width"] as? Double), try #require(seen["height"] as? Double)
                )
                try camera.send(#"{"type":"tap","id":"t1","x":\#(x + width / 2),"y":\#(y + height / 2)}"#)
                let label = try camera.receive("label")
                #expect(label["id"] as? String == "t1" && label["track"] as? Int == 1)
                #expect(label["label"] as? String == "maine_coon" && label["url"] as? String == "/breeds/maine_coon")
                #expect((label["names"] as? Object)?["fi"] as? String == "Maine coon")
                let labels = try #require(try camera.look(at: photo)["labels"] as? [Object])
                #expect(labels.map { $0["id"] as? String } == ["t1"])
                try camera.send(#"{"type":"keep","tap":"t2"}"#)
                #expect(try camera.receive("problem")["problem"] as? String == "/problems/not-found")
                try camera.send(#"{"type":"untap","id":"t1"}"#)
                let bare = try camera.look(at: photo)
                #expect((bare["labels"] as? [Object])?.isEmpty == true)
                try camera.send(#"{"type":"untap","id":"t1"}"#)
                #expect(try camera.receive("problem")["status"] as? Int == 404)
                try camera.send(#"{"type":"keep","note":"by the window"}"#)
                return try camera.receive("kept")
            }
            let scan = try await all.service.request("GET", try #require(kept["url"] as? String)).object()
            #expect(scan["id"] as? String == kept["id"] as? String && scan["note"] as? String == "by the window")
            let picture = try await all.service.request("GET", try #require(scan["photo_url"] as? String))
            #expect(picture.status == 200 && picture.headers["content-type"] == "image/jpeg")
        }
    }

    @Test func whatCannotBeReadIsToldAndTheStreamGoesOn() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            try await onThread {
                let camera = try CameraClient(port: port)
                func problem(_ send: () throws -> Void) throws -> (problem: String, detail: String) {
                    try send()
                    let message = try camera.receive("problem")
                    return (message["problem"] as? String ?? "", message["detail"] as? String ?? "")
                }
                let early = try problem { try camera.send(#"{"type":"keep"}"#) }
                #expect(early.problem == "/problems/conflict")
                let text = try problem { try camera.send(frame: Array("a text".utf8)) }
                #expect(text.problem == "/problems/unsupported-media-type")
                let nothing = try problem { try camera.send(frame: []) }
                #expect(nothing.problem == "/problems/malformed-body")
                let half = try problem { try camera.send(frame: Array(photo.prefix(photo.count / 2))) }
                #expect(half.problem == "/problems/unreadable-photo")
                for (text, kind, word) in [
                    ("no json", "/problems/malformed-message", "JSON"),
                    ("[1]", "/problems/malformed-message", "JSON"),
                    (#"{"type":"dance"}"#, "/problems/malformed-message", "settings"),
                    (#"{"type":"settings","colour":"red"}"#, "/problems/unknown-setting", "colour"),
                    (#"{"type":"settings","top":0}"#, "/problems/invalid-parameter", "top"),
                    (#"{"type":"settings","top":"many"}"#, "/problems/invalid-parameter", "top"),
                    (#"{"type":"settings","detect":{}}"#, "/problems/malformed-message", "detect"),
                    (#"{"type":"settings","model":"nothing"}"#, "/problems/not-found", "nothing"),
                    (
                        #"{"type":"settings","heads":"tails"}"#, "/problems/invalid-parameter",
                        "The setting “heads” is “tails”, but has to be one of presence, "
                    ),
                    (#"{"type":"settings","laps":"01JD8ZJ3Q1S9M7W5K2T4V6X8YA"}"#, "/problems/not-found", "timer"),
                    (#"{"type":"frame"}"#, "/problems/malformed-message", "at_ms"),
                    (#"{"type":"frame","at_ms":true}"#, "/problems/malformed-message", "at_ms"),
                    (#"{"type":"tap","id":"t","x":2,"y":0}"#, "/problems/malformed-message", "x"),
                    (#"{"type":"tap","x":0.2,"y":0}"#, "/problems/malformed-message", "id"),
                    (
                        #"{"type":"tap","id":"t","x":0.9,"y":0,"width":0.5,"height":0.1}"#,
                        "/problems/malformed-message", "1"
                    ),
                    (
                        #"{"type":"tap","id":"t","x":0.4,"y":0.4,"width":0.2}"#, "/problems/malformed-message",
                        "“height”"
                    ),
                ] {
                    let found = try problem { try camera.send(text) }
                    #expect(found.problem == kind && found.detail.contains(word), "\(text): \(found)")
                }
                let sound = try box(try camera.look(at: photo))
                #expect(sound["track"] as? Int == 1)
            }
        }
    }

    @Test func aFrameThatIsTooLargeEndsItsStreamOnly() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            try await onThread {
                let (other, camera) = (try CameraClient(port: port), try CameraClient(port: port))
                // The frame's header announces 100 MB. That is enough for a refusal.
                try camera.client.send([0x82, 0xFF, 0, 0, 0, 0, 0x05, 0xF5, 0xE1, 0x00, 1, 2, 3, 4])
                let isOver = try camera.receive() == nil
                #expect(isOver && camera.closeCode == 1009)
                let seen = try box(try other.look(at: photo))
                #expect(seen["label"] as? String == "cat")
            }
        }
    }

    @Test func aFloodIsDroppedAndNewerFramesWin() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            try await onThread {
                let camera = try CameraClient(port: port)
                for _ in 0..<200 { try camera.send(frame: photo) }
                var last: Object = [:]
                while last["frame"] as? Int != 200 {
                    let next = try camera.receive("answer")
                    #expect((last["frame"] as? Int ?? 0) < (next["frame"] as? Int ?? 0))
                    last = next
                }
                let dropped = try #require(last["dropped"] as? Int)
                #expect(dropped > 100)
            }
        }
    }

    @Test func aClientThatNeverReadsCostsTheOthersNothing() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            try await onThread {
                let deaf = try CameraClient(port: port, query: "heads=all&top=1000")
                defer { _ = shutdown(deaf.client.descriptor, CInt(SHUT_RDWR)) }
                // The client sends without reading, so it soon waits for buffer space. The service reads no more than
                // it can answer.
                Thread.detachNewThread {
                    while (try? deaf.send(frame: photo)) != nil {}
                }
                let camera = try CameraClient(port: port)
                for _ in 0..<5 {
                    let seen = try box(try camera.look(at: photo))
                    #expect(seen["track"] as? Int == 1)
                }
                try camera.send(.close, [])
            }
        }
    }

    @Test func whoSendsAFrameNowAndThenStaysAndWhoFallsSilentIsToldSo() async throws {
        let photo = try cat()
        var limits = LiveLimits()
        limits.idle = .seconds(4)
        let service = try await LiveService(live: limits)
        let port = service.port
        try await onThread { [limits] in
            let camera = try CameraClient(port: port, query: "detect=false")
            let start = ContinuousClock.now
            var number = 0
            // No pause is as long as the limit, not even on a busy machine, but together they are longer.
            while ContinuousClock.now - start < limits.idle + .seconds(1) {
                if number > 0 { Thread.sleep(forTimeInterval: 0.2) }
                number += 1
                let answer = try camera.look(at: photo)
                #expect(answer["frame"] as? Int == number && answer["dropped"] as? Int == 0)
            }
            let problem = try camera.receive("problem")
            #expect(problem["problem"] as? String == "/problems/timed-out" && problem["status"] as? Int == 408)
            let isOver = try camera.receive() == nil
            #expect(isOver)
        }
        try await service.stop()
    }

    @Test func whoMayNotConnectHearsWhyBeforeTheUpgrade() async throws {
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            for (query, status) in [
                ("colour=red", "400"), ("consensus=0", "400"), ("detect=maybe", "400"), ("model=nothing", "404"),
                ("heads=tails", "400"), ("laps=x", "400"),
            ] {
                let head = try await onThread { try CameraClient(port: port, query: query).head }
                #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(query): \(head)")
            }
            let foreign = try await onThread {
                try CameraClient(port: port, headers: [("Origin", "https://elsewhere.example")]).head
            }
            #expect(foreign.hasPrefix("HTTP/1.1 403 "))
            let own = try await onThread {
                try CameraClient(port: port, headers: [("Origin", "http://localhost")]).head
            }
            #expect(own.hasPrefix("HTTP/1.1 101 "))
            #expect(try await all.service.request("GET", "/live").status == 426)
        }
    }

    @Test func moreCamerasThanAllowedAreRefused() async throws {
        try await ServiceWithModels.with(squeezenets: []) { all in
            let port = all.service.port
            try await onThread {
                let cameras = try (0..<16).map { _ in try CameraClient(port: port) }
                let open = cameras.filter(\.isOpen).count
                #expect(open == 16)
                let refused = try CameraClient(port: port)
                #expect(refused.head.hasPrefix("HTTP/1.1 503 ") && refused.head.contains("Retry-After"))
                try cameras[0].send(.close, [])
                let isOver = try cameras[0].receive() == nil
                #expect(isOver)
                var again = try CameraClient(port: port)
                for _ in 0..<100 where !again.isOpen {
                    Thread.sleep(forTimeInterval: 0.05)
                    again = try CameraClient(port: port)
                }
                #expect(again.isOpen)
            }
        }
    }
}
