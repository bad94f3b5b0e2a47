import Base
import Foundation
import Storage
import Testing
import TestSupport

/// Photos that are sent more than once.
@Suite struct RetryTests {
    private let photo: [UInt8]

    init() throws {
        photo = try #require(ClassifyTests.drawing)
    }

    /// The same picture with other bytes. A comment follows the start marker.
    private func variant(_ number: Int) -> [UInt8] {
        let text = Array("variant \(number)".utf8)
        return Array(photo.prefix(2)) + [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + photo.dropFirst(2)
    }

    private func total(_ service: LiveService) async throws -> Int? {
        try await service.request("GET", "/history?limit=1").object()["total"] as? Int
    }

    @Test func aRetryAnswersTheSavedScan() async throws {
        try await withOwnService { service in
            let first = try await service.classify(photo, query: "top=2", key: "a")
            #expect(first.status == 200 && first.headers["idempotent-replayed"] == nil)
            let second = try await service.classify(photo, query: "top=2", key: "a")
            #expect(second.headers["idempotent-replayed"] == "true")
            #expect(second.body == first.body)
            #expect(try await total(service) == 1)

            let other = try await service.classify(variant(1), query: "", key: "a")
            #expect(other.status == 422 && other.text.contains("idempotency-key-reused"), "\(other.text)")
            #expect(try await total(service) == 1)
            #expect(try await service.classify(variant(1), query: "", key: "b").status == 200)
            #expect(try await total(service) == 2)
        }
    }

    @Test func aRetryUnderADeletedScanAnswersItAndSavesNothing() async throws {
        try await withOwnService { service in
            let first = try await service.classify(photo, query: "top=2", key: "a")
            let id = try #require(try first.object()["id"] as? String)
            #expect(try await service.request("DELETE", "/history/\(id)").status == 204)
            let second = try await service.classify(photo, query: "top=2", key: "a")
            #expect(second.headers["idempotent-replayed"] == "true")
            #expect(second.body == first.body)
            #expect(try await service.request("GET", "/history/\(id)").status == 404)
            #expect(try await total(service) == 0)
        }
    }

    @Test func simultaneousRetriesSaveOneScan() async throws {
        try await withOwnService(backend: .sqlite) { service in
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await service.classify(photo, query: "", key: "k").object()["id"] as? String }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1 && ids.first != .some(nil))
            #expect(try await total(service) == 1)
        }
    }

    @Test func eachPhotoOfAFormHasItsOwnKey() async throws {
        try await withOwnService { service in
            let headers = [("Content-Type", "multipart/form-data; boundary=b"), ("Idempotency-Key", "form")]
            let body = Form.body([("image", variant(1)), ("image", variant(2))])
            let first = try await service.request("POST", "/classify", headers: headers, body: body)
            let second = try await service.request("POST", "/classify", headers: headers, body: body)
            #expect(first.status == 200 && first.body == second.body, "\(second.text)")
            #expect(first.headers["idempotent-replayed"] == nil && second.headers["idempotent-replayed"] == "true")
            #expect(try await total(service) == 2)
        }
    }

    @Test(arguments: ["lang=fi", "top=5", "crop=fit", "heads=all", "mirror=true", "metadata=keep", "model=menagerie"])
    func aKeyWithOtherOptionsIsAnotherRequest(options: String) async throws {
        try await withOwnService(backend: .sqlite) { service in
            let first = try await service.classify(photo, query: "", key: "a")
            #expect(first.status == 200)
            let other = try await service.classify(photo, query: options, key: "a")
            #expect(other.status == 422 && other.text.contains("idempotency-key-reused"), "\(other.text)")
            #expect(try await service.classify(photo, query: "", key: "a").body == first.body)
            // The same options in another form.
            #expect(try await service.classify(photo, query: "top=3&lang=en", key: "a").body == first.body)
            #expect(try await total(service) == 1)
            #expect(
                try await service.classify(photo, query: options, key: String(repeating: "k", count: 255)).status == 200
            )
        }
    }

    @Test func aKeyInAnotherLanguageByHeaderIsAnotherRequest() async throws {
        try await withOwnService { service in
            func ask(_ language: String) async throws -> Int {
                let headers = [("Content-Type", "image/jpeg"), ("Idempotency-Key", "a"), ("Accept-Language", language)]
                return try await service.request("POST", "/classify", headers: headers, body: photo).status
            }
            let (english, finnish) = (try await ask("en"), try await ask("fi"))
            #expect(english == 200 && finnish == 422)
        }
    }

    @Test func aKeyWithAnotherFormIsAnotherRequest() async throws {
        try await withOwnService { service in
            func ask(_ photos: [Int], _ query: String = "", boundary: String = "b") async throws -> RawResponse {
                let type = ("Content-Type", "multipart/form-data; boundary=b")
                return try await service.request(
                    "POST", "/classify?\(query)", headers: [type, ("Idempotency-Key", "form")],
                    body: Form.body(photos.map { ("image", variant($0)) }))
            }
            let first = try await ask([1, 2])
            #expect(first.status == 200)
            for (photos, query) in [
                ([1, 3], ""), ([1], ""), ([1, 2, 3], ""), ([2, 1], ""), ([1, 2], "top=1"), ([1, 2], "fuse=true"),
            ] {
                let other = try await ask(photos, query)
                #expect(other.status == 422 && other.text.contains("idempotency-key-reused"), "\(photos) \(query)")
            }
            #expect(try await ask([1, 2]).body == first.body)
            #expect(try await total(service) == 2)
        }
    }

    @Test func aKeyOfFusedPhotosIsOfAllOfThem() async throws {
        try await withOwnService { service in
            func ask(_ photos: [Int]) async throws -> RawResponse {
                try await service.request(
                    "POST", "/classify?fuse=true",
                    headers: [("Content-Type", "multipart/form-data; boundary=b"), ("Idempotency-Key", "fused")],
                    body: Form.body(photos.map { ("image", variant($0)) }))
            }
            let first = try await ask([1, 2])
            #expect(first.status == 200)
            #expect(try await ask([1, 3]).status == 422)
            #expect(try await ask([1, 2]).body == first.body)
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256)])
    func wrongKeysAreRefused(key: String) async throws {
        try await withOwnService { service in
            let answer = try await service.classify(photo, query: "", key: key)
            #expect(answer.status == 400 && answer.text.contains("Idempotency-Key"), "\(answer.text)")
            #expect(try await total(service) == 0)
        }
    }

    @Test func theSamePhotoIsRecognised() async throws {
        try await withOwnService { service in
            func seen(_ bytes: [UInt8], _ query: String = "") async throws -> ([String]?, String) {
                let answer = try await service.classify(bytes, query: query).object()
                return (answer["seen_before"] as? [String], answer["id"] as? String ?? "")
            }
            let first = try await seen(photo)
            #expect(first.0 == [])
            let second = try await seen(photo)
            #expect(second.0 == [first.1])
            #expect(try await seen(variant(1)).0 == [])
            #expect(try await seen(photo).0 == [second.1, first.1])
            #expect(try await seen(photo, "save=false").0 == nil)
            _ = try await service.request("DELETE", "/history/\(first.1)")
            let last = try await seen(photo).0
            #expect(last?.contains(first.1) == false && last?.contains(second.1) == true)
        }
    }
}
