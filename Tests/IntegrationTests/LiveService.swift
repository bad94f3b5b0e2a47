import API
import Encyclopaedia
import Foundation
import HTTP
import History
import Logging
import Recognition
import TestSupport
import Testing

/// The whole service on a free port, with the real model, the real articles and a history in a temporary folder.
///
/// One for all tests: the model is loaded once, as in life. Each test tells its own scans by their ids.
final class LiveService: Sendable {
    let port: Int
    let router: Router
    private let server: Server

    static let shared = Task { try await LiveService() }

    private init() async throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let data = FileManager.default.temporaryDirectory.appending(path: "menagerie-\(UUID().uuidString)")
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let metrics = ServiceMetrics()
        let readiness = Readiness()
        let recogniser = try Recogniser(
            options: RecogniserOptions(modelsDirectory: package.appending(path: "Models").path, cores: 2),
            observer: metrics)
        let api = try MenagerieAPI(
            recogniser: recogniser, encyclopaedia: Encyclopaedia.bundled(),
            history: await HistoryStore.open(HistoryConfiguration(directory: data.path), logger: quiet),
            metrics: metrics, readiness: readiness,
            options: MenagerieAPI.Options(publicDirectory: package.appending(path: "Public").path))
        router = api.router
        var limits = ParserLimits()
        limits.body = 32 << 20
        var configuration = ServerConfiguration(port: 0, loops: 1, limits: limits)
        configuration.fixedFields = PageSecurity.fixedFields
        server = Server(
            configuration: configuration, router: api.router, observer: metrics, logger: quiet)
        port = try server.start()[0].port
        readiness.becomeReady()
    }

    /// One request on a connection of its own.
    func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> RawResponse {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + (body ?? [])
        let port = port
        return try await onThread {
            let client = try RawClient(port: port)
            // An early refusal may close before all is sent; the answer is there all the same.
            try? client.send(bytes)
            return try #require(RawResponse.parse(try client.receiveAll(), toHead: method == "HEAD").last)
        }
    }

    func classify(_ photo: [UInt8], query: String = "save=false", type: String = "image/jpeg") async throws
        -> RawResponse
    {
        try await request("POST", "/classify?\(query)", headers: [("Content-Type", type)], body: photo)
    }
}

/// Runs a test against the one live service.
func withService<Result: Sendable>(_ body: (LiveService) async throws -> Result) async throws -> Result {
    try await body(LiveService.shared.value)
}

extension RawResponse {
    /// The body as a JSON object.
    func object() throws -> [String: any Sendable] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable], "\(text)")
    }

    /// Labels and confidences of the predictions, which have to be the same however the photo came.
    func predictions() throws -> [String] {
        let list = try #require(try object()["predictions"] as? [[String: any Sendable]], "\(text)")
        return list.map { "\($0["label"] ?? "") \($0["confidence"] ?? "")" }
    }
}
