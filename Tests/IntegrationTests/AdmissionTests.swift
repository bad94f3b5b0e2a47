import Foundation
import Storage
import Testing
import TestSupport
@testable import Recognition

@Suite struct AdmissionTests {
    private let photo: [UInt8]

    init() throws {
        photo = try #require(ClassifyTests.drawing)
    }

    private func classify(_ service: LiveService, timeout: String) async throws -> RawResponse {
        try await service.request(
            "POST", "/classify?save=false",
            headers: [("Content-Type", "image/jpeg"), ("X-Request-Timeout", timeout)], body: photo)
    }

    @Test func aPhotoWhoseTimeIsUpIs504() async throws {
        try await withService { service in
            let late = try await classify(service, timeout: "0.000001")
            #expect(late.status == 504, "\(late.text)")
            #expect(late.headers["content-type"] == "application/problem+json")
            #expect(try await classify(service, timeout: "20").status == 200)
            for wrong in ["0", "-1", "soon", "nan", "inf", "0x14", "+20", ".5"] {
                let answer = try await classify(service, timeout: wrong)
                #expect(answer.status == 400 && answer.text.contains("X-Request-Timeout"), "\(answer.text)")
            }
        }
    }

    @Test func whenEveryPlaceIsTakenPhotosAreRefusedUnread() async throws {
        var options = RecogniserOptions(
            modelsDirectory: LiveService.package.appending(path: "Models").path, maximumInFlight: 1, cores: 1)
        options.engine.cacheDirectory = CompiledModels.folder
        let recogniser = try Recogniser(options: options)
        let service = try await LiveService(recogniser: recogniser)
        let owner = try recogniser.takePermit(for: "menagerie")
        let port = service.port
        let refusal = try await onThread {
            let client = try RawClient(port: port)
            // The request announces a photo and sends none of it.
            try client.send(
                "POST /classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\nContent-Length: 5000000\r\n\r\n"
            )
            return try client.responses(1)[0]
        }
        #expect(refusal.status == 503 && refusal.headers["content-type"] == "application/problem+json")
        #expect(refusal.headers["retry-after"].flatMap { Int($0) } ?? 0 >= 1)
        recogniser.returnPermit(of: owner)
        let answer = try await service.classify(photo)
        #expect(answer.status == 200, "\(answer.text)")
        try await service.stop()
        recogniser.stop()
    }

    @Test func thirtyTwoPhotosAreAnsweredEachForItself() async throws {
        try await withService { service in
            let broken = Set([3, 17, 31])
            let photos = (0..<32).map { ("image", broken.contains($0) ? Array("no picture".utf8) : photo) }
            let answer = try await service.request(
                "POST", "/classify?save=false&top=1", headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: Form.body(photos))
            let results = try #require(try answer.object()["results"] as? [[String: any Sendable]], "\(answer.text)")
            #expect(results.map { $0["status"] as? Int } == (0..<32).map { broken.contains($0) ? 415 : 200 })
            #expect(results.allSatisfy { ($0["status"] as? Int == 200) == ($0["predictions"] != nil) })
        }
    }
}
