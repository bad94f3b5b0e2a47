import Foundation
import TestSupport
import Testing

/// Requests that PhotoPrism sends to a vision service, over a real socket.
@Suite struct PhotoPrismTests {
    private func ask(_ service: LiveService, _ body: String) async throws -> RawResponse {
        try await service.request(
            "POST", "/api/v1/vision/labels", headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    @Test(.enabled(if: SharedFolder.isThere)) func aCatIsLabelledWithItsBreed() async throws {
        let photo = try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]).base64EncodedString()
        try await withService { service in
            let answer = try await ask(
                service,
                """
                {"id": "7f8e", "model": "menagerie", "version": "latest", "suffix": "", "stream": false,
                 "images": ["data:image/jpeg;base64,\(photo)"]}
                """)
            let object = try answer.object()
            #expect(answer.status == 200 && object["id"] as? String == "7f8e" && object["code"] as? Int == 200)
            let model = try #require(object["model"] as? [String: any Sendable])
            #expect(model["type"] as? String == "labels" && model["name"] as? String == "menagerie")
            let labels = try #require(
                (object["result"] as? [String: any Sendable])?["labels"] as? [[String: any Sendable]])
            let first = try #require(labels.first, "\(answer.text)")
            #expect(first["name"] as? String == "Maine Coon" && first["source"] as? String == "image")
            #expect(first["categories"] as? [String] == ["cats", "animals"])
            #expect((first["confidence"] as? Double ?? 0) > 0.2)
        }
    }

    @Test func whatIsNoRequestIsToldWhatWouldBe() async throws {
        try await withService { service in
            for body in [
                "", "[]", "{}", #"{"images": []}"#, #"{"images": ["https://example.org/a.jpg"]}"#,
                #"{"images": ["data:image/jpeg,abc"]}"#, #"{"images": ["data:image/jpeg;base64,%%%"]}"#,
                #"{"images": [\#(Array(repeating: #""data:;base64,AA==""#, count: 17).joined(separator: ","))]}"#,
            ] {
                let answer = try await ask(service, body)
                #expect(answer.status == 400, "\(body.prefix(60)): \(answer.text)")
                #expect(answer.text.contains("data:image/jpeg;base64") || body.contains("%%%"), "\(answer.text)")
            }
            let text = Data("no picture".utf8).base64EncodedString()
            #expect(try await ask(service, #"{"images": ["data:image/jpeg;base64,\#(text)"]}"#).status == 415)
        }
    }

    /// PhotoPrism looks at these members of the body, not at the status.
    @Test func aRefusalIsNoPhotoWithoutLabels() async throws {
        func expectRefusal(_ answer: RawResponse, _ status: Int) throws {
            let object = try answer.object()
            #expect(answer.status == status && object["code"] as? Int == status, "\(answer.text)")
            #expect(object["error"] as? String == object["detail"] as? String, "\(answer.text)")
            #expect(answer.headers["content-type"] == "application/problem+json")
        }
        try await withService { service in
            try expectRefusal(try await ask(service, "{}"), 400)
            let host = try await service.request(
                "POST", "/api/v1/vision/labels", host: "photos:2283", body: Array("{}".utf8))
            try expectRefusal(host, 421)
        }
        try await withKeys { (locked: LockedService) async throws in
            try expectRefusal(try await ask(locked.service, "{}"), 401)
        }
    }
}
