import Foundation
import HTTP
import TestSupport
import Testing

/// Compressed bodies, on every route with a body.
@Suite("Packed requests") struct ContentCodingTests {
    private let photo: [UInt8]

    init() throws {
        photo = try #require(ClassifyTests.drawing)
    }

    private func post(
        _ service: LiveService, _ target: String, _ body: [UInt8], type: String, coding: String = "gzip"
    ) async throws -> RawResponse {
        try await service.request(
            "POST", target, headers: [("Content-Type", type), ("Content-Encoding", coding)], body: body)
    }

    @Test func aPackedPhotoIsThePhoto() async throws {
        try await withService { service in
            let plain = try await service.classify(photo)
            let json = Array((#"{"image": ""# + Data(photo).base64EncodedString() + #""}"#).utf8)
            for (body, type) in [
                (photo, "image/jpeg"), (photo, "application/octet-stream"), (json, "application/json"),
                (Form.body([("image", photo)]), "multipart/form-data; boundary=b"),
            ] {
                let answer = try await post(service, "/classify?save=false", Gzip.compress(body), type: type)
                #expect(answer.status == 200, "\(type): \(answer.text)")
                #expect(try answer.predictions() == plain.predictions())
            }
        }
    }

    @Test func otherBodiesMayBePackedToo() async throws {
        try await withOwnService { service in
            let id = try #require(try await service.classify(photo, query: "").object()["id"] as? String)
            let note = try Gzip.compress(Array(#"{"note": "limps"}"#.utf8))
            let changed = try await service.request(
                "PATCH", "/history/\(id)", headers: [("Content-Encoding", "gzip")], body: note)
            #expect(try changed.object()["note"] as? String == "limps")
        }
    }

    @Test func aBombStopsAtTheLimit() async throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 40 << 20), level: 9)
        #expect(bomb.count < 100_000)
        try await withService { service in
            for (target, type) in [
                ("/classify", "image/jpeg"), ("/classify", "multipart/form-data; boundary=b"),
                ("/classify", "application/json"), ("/v2/models/menagerie/infer", "application/json"),
            ] {
                let answer = try await post(service, target, bomb, type: type)
                #expect([400, 413].contains(answer.status), "\(target) \(type): \(answer.text)")
                // A tensor is parsed during the upload, so its first byte is refused.
                let expected = target == "/classify" ? 413 : 400
                if type != "multipart/form-data; boundary=b" { #expect(answer.status == expected) }
            }
            #expect(try await service.classify(photo).status == 200)
        }
    }

    @Test func whatCannotBeUnpackedIsRefused() async throws {
        try await withService { service in
            for target in ["/classify", "/v2/models/menagerie/infer"] {
                let unknown = try await post(service, target, photo, type: "image/jpeg", coding: "br")
                #expect(
                    unknown.status == 415 && unknown.headers["accept-encoding"] == "gzip, deflate", "\(unknown.text)")
                let false_ = try await post(service, target, photo, type: "image/jpeg")
                #expect(false_.status == 400 && false_.text.contains("gzip"), "\(false_.text)")
                let cut = Array(try Gzip.compress(photo).dropLast(9))
                #expect(try await post(service, target, cut, type: "image/jpeg").status == 400)
            }
        }
    }
}
