import Base
import API
import Connections
import Foundation
import HTTP
import Logging
import TestSupport
import Testing

@Suite struct BreedPhotoTests {
    private let photo: [UInt8]

    init() throws {
        photo = try #require(ClassifyTests.drawing)
    }

    private func messages(_ response: RawResponse) throws -> [String] {
        #expect(try response.object()["status"] as? String == "success", "\(response.text)")
        return try #require(try response.object()["message"] as? [String], "\(response.text)")
    }

    @Test func theListOfDogCEOHasEverySubBreed() async throws {
        try await withService { service in
            let answer = try await service.request("GET", "/breeds/list/all")
            #expect(try answer.object()["status"] as? String == "success")
            let list = try #require(try answer.object()["message"] as? [String: [String]])
            #expect(list["bulldog"]?.contains("boston") == true && list["corgi"] == ["cardigan"])
            #expect(list["shihtzu"] == [])
            let tag = try #require(answer.headers["etag"])
            let again = try await service.request("GET", "/breeds/list/all", headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
        }
    }

    @Test func withoutAnySourceThereAreNoPhotos() async throws {
        try await withService { service in
            #expect(try messages(await service.request("GET", "/breeds/pug/photos")) == [])
            let refused = try await service.request("GET", "/breeds/pug/photos?source=dog_ceo")
            #expect(refused.status == 403 && refused.text.contains("encyclopaedia.allow_dog_ceo"))
            #expect(try await service.request("GET", "/breeds/pug/photos?source=moon").status == 400)
            #expect(try await service.request("GET", "/breeds/unicorn/photos").status == 404)
            #expect(try await service.request("GET", "/breeds/pug/photos/x.jpg").status == 404)
        }
    }

    @Test func photosOfAFolderAreServedAndNothingElseIs() async throws {
        let folder = try TemporaryFolder()
        try folder.write(photo, "pug/b.jpg")
        try folder.write(photo, "pug/a photo.JPG")
        try folder.write(Array("secret".utf8), "pug/notes.txt")
        try folder.write(photo, "pug/.hidden.jpg")
        try folder.write(photo, "outside.jpg")
        try await withOwnService(photos: BreedPhotoOptions(directory: folder.path)) { service in
            let list = try messages(await service.request("GET", "/breeds/pug/photos"))
            #expect(list == ["/breeds/pug/photos/a%20photo.JPG", "/breeds/pug/photos/b.jpg"])
            let answer = try await service.request("GET", list[0])
            #expect(answer.status == 200 && answer.body == photo && answer.headers["content-type"] == "image/jpeg")
            for name in ["notes.txt", ".hidden.jpg", "..%2Foutside.jpg", "..%2F..%2Fetc%2Fpasswd", "%00.jpg"] {
                let refused = try await service.request("GET", "/breeds/pug/photos/\(name)")
                #expect(refused.status == 404 || refused.status == 400, "\(name): \(refused.status)")
            }
            let page = try await service.request("GET", "/breeds/pug/photos?limit=1")
            #expect(try messages(page).count == 1 && page.object()["total"] as? Int == 2)
            let next = try #require(page.headers["link"]?.split(separator: ">").first?.dropFirst())
            #expect(try messages(await service.request("GET", String(next))) == ["/breeds/pug/photos/b.jpg"])
        }
    }

    @Test func ownScansAreShownOnlyWhereTheyWereAskedFor() async throws {
        try await withOwnService(photos: BreedPhotoOptions(includesOwnScans: true)) { service in
            let id = try #require(try await service.classify(photo, query: "").object()["id"] as? String)
            let patch = Array(#"{"corrected_label": "pug"}"#.utf8)
            #expect(try await service.request("PATCH", "/history/\(id)", body: patch).status == 200)
            #expect(try messages(await service.request("GET", "/breeds/pug/photos")) == ["/history/\(id)/photo"])
            #expect(try messages(await service.request("GET", "/breeds/beagle/photos")) == [])
        }
    }

    @Test func photosOfDogCEOAreFetchedOnceAndKept() async throws {
        let other = try DogServer(photo: photo)
        let folder = try TemporaryFolder()
        let dogCEO = DogCEO(
            url: try other.url, cacheDirectory: folder.path + "/cache", cacheBytes: 256 << 20, timeout: 5)
        try await withOwnService(photos: BreedPhotoOptions(dogCEO: dogCEO)) { service in
            let list = try messages(await service.request("GET", "/breeds/boston_bull/photos"))
            #expect(list == ["/breeds/boston_bull/photos/n1.jpg", "/breeds/boston_bull/photos/large.jpg"])
            for _ in 0..<2 {
                let answer = try await service.request("GET", list[0])
                #expect(answer.status == 200 && answer.body == photo, "\(answer.text.prefix(300))")
            }
            #expect(other.requests == ["/api/breed/bulldog/boston/images", "/photos/n1.jpg"])
            #expect(try await service.request("GET", "/breeds/boston_bull/photos/unlisted.jpg").status == 404)
            #expect(try messages(await service.request("GET", "/breeds/siamese/photos")) == [])
            #expect(other.requests.count == 2)
            let wrong = try await service.request("GET", list[1])
            #expect(wrong.status == 502 && wrong.text.contains("photos-unreachable"), "\(wrong.text)")

            // Without a network the stored photos remain. A missing one is a problem that says so.
            await other.stop()
            #expect(try messages(await service.request("GET", "/breeds/boston_bull/photos")) == list)
            #expect(try await service.request("GET", list[0]).status == 200)
            let offline = try await service.request("GET", "/breeds/pug/photos")
            #expect(offline.status == 502 && offline.text.contains("offline"), "\(offline.text)")
        }
    }
}

/// A server that answers like dog.ceo, with some invalid entries.
private final class DogServer: Sendable {
    private let server: Server
    private let port: Int
    private let log: RequestLog

    init(photo: [UInt8]) throws {
        let log = RequestLog()
        var router = Router()
        router.get(
            "/api/breed/{breed}/{sub}/images",
            .inline { request in
                log.append(request.path)
                let host = request.headers["Host"] ?? ""
                // An entry with another host, another file type or a path must be skipped.
                let list = [
                    "http://\(host)/photos/n1.jpg", "http://elsewhere.invalid/n2.jpg", "http://\(host)/photos/n3.exe",
                    "file:///etc/n4.jpg", "http://\(host)/photos/large.jpg",
                ]
                return .bytes([UInt8](try JSONEncoder().encode(DogList(message: list, status: "success"))), type: .json)
            })
        router.get(
            "/photos/{name}",
            .inline { request in
                log.append(request.path)
                if request.path.hasSuffix("large.jpg") { return .bytes(Array("no picture".utf8), type: .jpeg) }
                return .bytes(photo, type: .jpeg)
            })
        self.log = log
        server = Server(
            configuration: .standard, router: router, middleware: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        port = try server.start()[0].port
    }

    var url: URL { get throws { try #require(URL(string: "http://127.0.0.1:\(port)/api")) } }

    var requests: [String] { log.paths }

    func stop() async { await server.shutdown() }

    private struct DogList: Encodable {
        let message: [String]
        let status: String
    }
}

private final class RequestLog: Sendable {
    private let entries = Locked<[String]>([])

    var paths: [String] { entries.withLock { $0 } }

    func append(_ path: String) { entries.withLock { $0.append(path) } }
}
