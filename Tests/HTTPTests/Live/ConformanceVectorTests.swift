import Foundation
import HTTP
import TestSupport
import Testing

/// The request vectors of the llhttp project, from the shared folder.
@Suite struct ConformanceVectorTests {
    struct Vectors: Decodable {
        let vectors: [Vector]
    }

    struct Vector: Decodable {
        let id: String
        let title: String
        let verdict: String
        let messages: Int
        let b64: Data
    }

    static let path: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../").standardized
        let shared =
            ProcessInfo.processInfo.environment["SHARED_FOLDER"]
            ?? root.deletingLastPathComponent().appending(path: "shared").path
        return shared + "/conformance/http/request_vectors.json"
    }()

    @Test(
        "Every verdict of the shared vectors is ours",
        .enabled(if: FileManager.default.fileExists(atPath: path), "SHARED_FOLDER has no conformance vectors"))
    func verdicts() async throws {
        let data = try Data(contentsOf: URL(filePath: Self.path))
        let vectors = try JSONDecoder().decode(Vectors.self, from: data).vectors
        #expect(vectors.count > 50)
        var router = Router.sample
        router.get("/probe", .asynchronous { _ in .bytes([], type: .text) })
        router.post("/probe", .asynchronous { .bytes(try await $0.body.collect(upTo: 1 << 20), type: .text) })
        try await withServer(router) { port, _ in
            for vector in vectors {
                let request = Self.fill(vector.b64)
                // The client ends its side after the vector. That cuts off the last request of some vectors.
                let isHead = request.starts(with: Array("HEAD".utf8))
                let responses = try await exchange(port, request, toHead: isHead)
                let statuses = responses.filter { !$0.text.contains("ended before") }.map { $0.status }
                let isRefused = statuses.contains { [400, 414, 417, 431, 505].contains($0) }
                let name = "\(vector.id) \(vector.title): \(statuses)"
                if vector.verdict == "error" {
                    let last = statuses.last ?? 0
                    #expect(last >= 400, "\(name)")
                    #expect(!statuses.contains(200), "\(name)")
                } else {
                    #expect(!isRefused, "\(name)")
                    #expect(statuses.count == vector.messages, "\(name)")
                }
            }
        }
    }

    /// Inserts live routes for `{{HOST}}`, `{{GETLINE|…}}` and `{{POSTLINE|…}}`.
    static func fill(_ template: Data) -> [UInt8] {
        var bytes = [UInt8](template)
        while let start = bytes.firstRange(of: Array("{{".utf8)),
            let end = bytes[start.upperBound...].firstRange(of: Array("}}".utf8))
        {
            let name = String(decoding: bytes[start.upperBound..<end.lowerBound], as: UTF8.self)
            let text =
                name == "HOST" ? "localhost" : name.hasPrefix("GETLINE") ? "GET /probe" : "POST /probe"
            bytes.replaceSubrange(start.lowerBound..<end.upperBound, with: Array(text.utf8))
        }
        return bytes
    }
}
