import API
import Connections
import Foundation
import HTTP
import Security
import Storage
import Testing
import TestSupport

/// `/v1/…` as clients of DeepStack and CodeProject.AI use it, over a real socket.
@Suite("DeepStack over HTTP", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct DeepStackTests {
    private static let form = [("Content-Type", "multipart/form-data; boundary=b")]

    /// A real photo of one Maine Coon.
    private func cat() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
    }

    private func ask(
        _ service: LiveService, _ fields: [(name: String, bytes: [UInt8])], path: String = "detection"
    ) async throws -> RawResponse {
        try await service.request("POST", "/v1/vision/\(path)", headers: Self.form, body: Form.body(fields))
    }

    private func predictions(_ answer: RawResponse) throws -> [[String: any Sendable]] {
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json", "\(answer.text)")
        return try #require(try answer.object()["predictions"] as? [[String: any Sendable]], "\(answer.text)")
    }

    @Test func theAnswerHasTheMembersOfBothServers() async throws {
        let photo = try cat()
        try await withService { service in
            // Frigate and Home Assistant send an empty key, and a picture without a type.
            let answer = try await ask(service, [("api_key", []), ("image", photo), ("typo", [1])])
            let object = try answer.object()
            #expect(
                Set(object.keys) == [
                    "success", "predictions", "duration", "message", "count", "command", "moduleId",
                    "executionProvider", "canUseGPU", "inferenceMs", "processMs", "analysisRoundTripMs", "processedBy",
                    "timestampUTC",
                ])
            #expect(object["success"] as? Bool == true && object["message"] as? String == "Found cat")
            #expect(object["count"] as? Int == 1 && object["command"] as? String == "detect")
            let box = try #require(try predictions(answer).first)
            #expect(Set(box.keys) == ["confidence", "label", "x_min", "y_min", "x_max", "y_max"])
            #expect(box["label"] as? String == "cat")
            // The box equals that of POST /detect, in whole pixels.
            let detected = try await service.request(
                "POST", "/detect", headers: [("Content-Type", "image/jpeg")], body: photo
            ).object()
            let known = try #require((detected["boxes"] as? [[String: any Sendable]])?.first)
            let (width, height) = (
                try #require(detected["width"] as? Int), try #require(detected["height"] as? Int)
            )
            let left = Int((try #require(known["x"] as? Double) * Double(width)).rounded())
            let top = Int((try #require(known["y"] as? Double) * Double(height)).rounded())
            #expect(abs((box["x_min"] as? Int ?? -9) - left) <= 1 && abs((box["y_min"] as? Int ?? -9) - top) <= 1)
            #expect(
                answer.text.contains(#""x_min":\#(box["x_min"] as? Int ?? -1),"#), "no whole number: \(answer.text)")
            #expect(box["x_max"] as? Int ?? .max <= width && box["y_max"] as? Int ?? .max <= height)
        }
    }

    @Test func doubtfulThingsComeInFallingOrderAndNoMoreThanTwenty() async throws {
        let photo = try cat()
        try await withService { service in
            let answer = try await ask(service, [("min_confidence", Array("0.001".utf8)), ("image", photo)])
            let found = try predictions(answer)
            let confidences = found.compactMap { $0["confidence"] as? Double }
            #expect(confidences == confidences.sorted(by: >) && found.count > 1 && found.count <= 20, "\(answer.text)")
            // Frigate must know every label. In particular "other animal" is missing.
            let labels = Set(found.compactMap { $0["label"] as? String })
            #expect(labels.allSatisfy { !$0.contains("animal") && $0 == $0.lowercased() }, "\(labels)")
            // By default boxes below 0.4 are left out, and an animal has only one name.
            let plain = try predictions(try await ask(service, [("image", photo)]))
            #expect(plain.count == 1 && (plain[0]["confidence"] as? Double ?? 0) >= 0.4, "\(plain)")
            let none = try await ask(service, [("image", photo), ("min_confidence", Array("1".utf8))])
            #expect(try predictions(none).isEmpty && none.text.contains("No objects found"))
        }
    }

    @Test func aConnectionStaysOpenForTheNextPicture() async throws {
        let body = Form.body([("image", try cat())])
        try await withService { service in
            let port = service.port
            let answers = try await onThread {
                let client = try RawClient(port: port)
                let head =
                    "POST /v1/vision/detection HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n"
                    + "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
                var answers: [RawResponse] = []
                for _ in 0..<3 {
                    try client.send(Array(head.utf8) + body)
                    answers += try client.responses(1)
                }
                return answers
            }
            #expect(answers.map(\.status) == [200, 200, 200])
        }
    }

    @Test func theOtherModelsCallTheSameBoxByOtherNames() async throws {
        let photo = try cat()
        try await withService { service in
            let breeds = try predictions(try await ask(service, [("image", photo)], path: "custom/menagerie_breeds"))
            #expect(breeds.first?["label"] as? String == "maine_coon", "\(breeds)")
            // No animal has a name here, so each keeps its species.
            let pets = try predictions(try await ask(service, [("image", photo)], path: "custom/menagerie_pets"))
            #expect(pets.first?["label"] as? String == "cat", "\(pets)")
            let general = try predictions(try await ask(service, [("image", photo)], path: "custom/general"))
            #expect(general.first?["label"] as? String == "cat")
            let unknown = try await ask(service, [("image", photo)], path: "custom/ipcam-animal")
            #expect(unknown.status == 404 && unknown.text.contains("menagerie_pets"), "\(unknown.text)")
            let list = try await service.request("POST", "/v1/vision/custom/list", body: []).object()
            #expect(list["models"] as? [String] == ["general", "menagerie_breeds", "menagerie_pets"])
            #expect(list["success"] as? Bool == true && list["statusData"] is NSNull)
            let update = try await service.request("GET", "/v1/status/updateavailable").object()
            #expect(update["updateAvailable"] as? Bool == false && update["success"] as? Bool == true)
            #expect((update["current"] as? [String: any Sendable])?["major"] as? Int == 1)
        }
    }

    @Test func anAnimalWithANameGoesByIt() async throws {
        func photos(_ breed: String) throws -> [[UInt8]] {
            try SharedFolder.photos("cat", breed).prefix(4).map { [UInt8](try Data(contentsOf: $0)) }
        }
        let (misu, felix) = (try photos("maine_coon"), try photos("siamese"))
        try await TrainingBench.withTraining { service in
            for (photos, name) in [(misu, "Misu"), (felix, "Felix")] {
                for photo in photos {
                    let scan = try await service.classify(photo, query: "").object()
                    let answer = try await service.request(
                        "PATCH", try #require(scan["url"] as? String), headers: [("Content-Type", "application/json")],
                        body: Array(#"{"individual": "\#(name)"}"#.utf8))
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
            try await eventually { try await service.request("GET", "/individuals").text.contains(#""state":"ready""#) }
            let pets = try predictions(try await ask(service, [("image", misu[1])], path: "custom/menagerie_pets"))
            #expect(pets.first?["label"] as? String == "Misu", "\(pets)")
            let general = try predictions(try await ask(service, [("image", misu[1])]))
            #expect(general.first?["label"] as? String == "cat")
        }
    }

    @Test func boxesLieInThePictureAsItWasSent() async throws {
        // The same pixels are sent twice, once with an orientation. Clients ignore the orientation.
        let photo = try cat()
        let segment: [UInt8] =
            [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8) + [
                0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0,
            ]
        let turned = Array(photo[..<2]) + segment + Array(photo[2...])
        try await withService { service in
            let upright = try #require(try predictions(try await ask(service, [("image", photo)])).first)
            let found = try predictions(
                try await ask(service, [("image", turned), ("min_confidence", Array("0.2".utf8))]))
            let box = try #require(found.first { $0["label"] as? String == "cat" }, "\(found)")
            func edges(_ box: [String: any Sendable]) -> [Int] {
                ["x_min", "y_min", "x_max", "y_max"].compactMap { box[$0] as? Int }
            }
            let size = max(edges(upright)[2], edges(upright)[3])
            for (first, second) in zip(edges(upright), edges(box)) {
                #expect(abs(first - second) < size / 6, "\(edges(upright)) \(edges(box))")
            }
        }
    }
}

/// `/v1/…` with errors, guesses or without a key. The test compares whole bodies, since clients parse them.
@Suite struct DeepStackAttackTests {
    private static let form = [("Content-Type", "multipart/form-data; boundary=b")]
    private static let wrongKey = #"{"success":false,"error":"Incorrect api key","duration":0}"#

    private func refusal(_ error: String) -> String { #"{"success":false,"error":"\#(error)","duration":0}"# }

    @Test func errorsAreDeepStacksOwn() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withService { service in
            func ask(_ fields: [(name: String, bytes: [UInt8])]) async throws -> RawResponse {
                try await service.request("POST", "/v1/vision/detection", headers: Self.form, body: Form.body(fields))
            }
            let none = refusal("No valid image file found")
            for fields in [[], [("picture", photo)], [("image", [])]] {
                let answer = try await ask(fields)
                #expect(answer.status == 400 && answer.text == none, "\(answer.text)")
                #expect(answer.headers["content-type"] == "application/json")
            }
            let plain = try await service.request(
                "POST", "/v1/vision/detection", headers: [("Content-Type", "image/jpeg")], body: photo)
            #expect(plain.status == 400 && plain.text == none, "\(plain.text)")
            for broken in [Array("no picture".utf8), Array(photo.prefix(300)), [0xFF, 0xD8, 0xFF]] {
                let answer = try await ask([("image", broken)])
                #expect(answer.status == 400 && answer.text == refusal("invalid image file"), "\(answer.text)")
            }
            for least in ["2", "-1", "nan", "x", "", "0,5"] {
                let answer = try await ask([("image", photo), ("min_confidence", Array(least.utf8))])
                #expect(answer.status == 400 && answer.text.hasPrefix(#"{"success":false,"error":"min_confidence"#))
            }
            // Every refusal has a JSON body in this format.
            for (method, path) in [("GET", "/v1/vision/detection"), ("POST", "/v1/vision/face/list")] {
                let answer = try await service.request(method, path, body: method == "POST" ? [] : nil)
                #expect(try answer.status >= 400 && answer.object()["success"] as? Bool == false, "\(answer.text)")
            }
        }
    }

    /// With a 404 Home Assistant complains about its address.
    @Test func facesAndScenesAreNotActivated() async throws {
        let photo = Form.body([("image", try #require(ClassifyTests.drawing))])
        func expectOff(_ service: LiveService) async throws {
            for path in ["face", "face/recognize", "face/register", "face/list", "face/delete", "face/match", "scene"] {
                let answer = try await service.request(
                    "POST", "/v1/vision/\(path)", headers: Self.form, body: photo)
                let words = path == "scene" ? "Scene endpoint not activated" : "Face endpoints not activated"
                #expect(answer.status == 403 && answer.text == refusal(words), "\(path) \(answer.text)")
                #expect(answer.headers["content-type"] == "application/json")
            }
            let unknown = try await service.request("POST", "/v1/vision/other", headers: Self.form, body: photo)
            #expect(unknown.status == 404, "\(unknown.text)")
        }
        try await withService { try await expectOff($0) }
        try await withKeys { (locked: LockedService) async throws in try await expectOff(locked.service) }
    }

    @Test func anUnknownHostIsToldTheSetting() async throws {
        try await withService { service in
            let answer = try await service.request(
                "POST", "/v1/vision/detection", host: "menagerie:8080", headers: Self.form, body: Form.body([]))
            let object = try answer.object()
            #expect(answer.status == 421 && object["success"] as? Bool == false)
            #expect((object["error"] as? String)?.contains("http.allowed_hosts") == true, "\(answer.text)")
            // Other routes answer with a problem.
            let other = try await service.request("GET", "/history", host: "menagerie:8080")
            #expect(other.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func theKeyMayStandInTheForm() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withKeys { (locked: LockedService) async throws in
            func ask(
                _ key: String?, path: String = "detection", headers: [(String, String)] = []
            ) async throws -> RawResponse {
                let fields = (key.map { [("api_key", Array($0.utf8))] } ?? []) + [("image", photo)]
                return try await locked.service.request(
                    "POST", "/v1/vision/\(path)", headers: Self.form + headers, body: Form.body(fields))
            }
            for role in Role.allCases {
                #expect(try await ask(locked.keys[role]).status == 200)
                #expect(try await ask(locked.keys[role], path: "custom/menagerie_breeds").status == 200)
                let bearer = [("Authorization", "Bearer \(locked.keys[role] ?? "")")]
                #expect(try await ask("", headers: bearer).status == 200)
                #expect(try await ask(nil, headers: bearer).status == 200)
            }
            for key in [nil, "", "menagerie_x", (locked.keys[.reader] ?? "") + "x"] {
                for path in ["detection", "custom/menagerie_pets", "custom/nothing"] {
                    let answer = try await ask(key, path: path)
                    #expect(answer.status == 401 && answer.text == Self.wrongKey, "\(path) \(answer.text)")
                }
            }
            // A right key in the form does not make up for a wrong one in the header.
            let wrong = try await ask(locked.keys[.admin], headers: [("Authorization", "Bearer x")])
            #expect(wrong.status == 401 && wrong.text == Self.wrongKey)
            // Other routes ignore keys in forms.
            let body = Form.body([("api_key", Array((locked.keys[.admin] ?? "").utf8)), ("image", photo)])
            #expect(try await locked.service.request("POST", "/detect", headers: Self.form, body: body).status == 401)
        }
    }

    @Test func formsOfGuessersAreNoLongerRead() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withKeys(requestsPerMinute: 5, wrongKeysPerMinute: 3) { (locked: LockedService) async throws in
            func ask(_ key: String, headers: [(String, String)] = []) async throws -> RawResponse {
                try await locked.service.request(
                    "POST", "/v1/vision/detection", headers: Self.form + headers,
                    body: Form.body([("api_key", Array(key.utf8)), ("image", photo)]))
            }
            let reader = locked.keys[.reader] ?? ""
            // A client with a valid key is never told to wait.
            for _ in 0..<8 { #expect(try await ask(reader).status == 200) }
            for _ in 0..<3 { #expect(try await ask("wrong").text == Self.wrongKey) }
            // The address is blocked, so the service no longer reads the form's key. A key in the header still works.
            for _ in 0..<3 {
                let answer = try await ask(reader)
                #expect(answer.status == 401 && answer.text == Self.wrongKey)
            }
            let wrong = try await ask("", headers: [("Authorization", "Bearer wrong")])
            #expect(wrong.status == 401 && wrong.headers["www-authenticate"]?.hasPrefix("Bearer ") == true)
            #expect(try await ask("", headers: [("Authorization", "Bearer \(reader)")]).status == 200)
        }
    }

    @Test func whatIsOffSaysHowToTurnItOn() async throws {
        let service = try await LiveService(connections: ConnectionOptions())
        let photo = Form.body([("image", try #require(ClassifyTests.drawing))])
        for (method, path) in [
            ("POST", "/v1/vision/detection"), ("POST", "/v1/vision/custom/general"), ("POST", "/v1/vision/custom/list"),
            ("GET", "/v1/status/updateavailable"),
        ] {
            let answer = try await service.request(
                method, path, headers: Self.form, body: method == "POST" ? photo : nil)
            #expect(answer.status == 403 && answer.text.contains("connections.deepstack"), "\(path) \(answer.text)")
            #expect(answer.text.hasPrefix(#"{"success":false,"error":"#))
        }
        let labels = try await service.request("POST", "/api/v1/vision/labels", body: Array("{}".utf8))
        #expect(labels.status == 403 && labels.text.contains("connections.photoprism"))
        try await service.stop()
    }
}
