import Base
import Connections
import Encyclopaedia
import Foundation
import HTTP
import Metrics
import Recognition

/// `POST /api/v1/vision/labels`: PhotoPrism's interface for an external service that labels photos.
struct PhotoPrismEndpoint: Sendable {
    let watcher: PhotoWatcher
    let encyclopaedia: Encyclopaedia
    let metrics: ServiceMetrics
    let options: MenagerieAPI.Options

    static let path = "/api/v1/vision/labels"

    /// The largest number of sizes of one photo that PhotoPrism may send. Only the first is used.
    private static let maximumImages = 16

    func register(in router: inout Router) {
        router.post(Self.path, .guarded(check: check, handler: { try await label($0) }))
    }

    private func check(for request: Request) throws {
        guard options.connections.photoPrism else {
            throw ProblemDetails(.forbidden, detail: "The setting connections.photoprism has to be true.")
        }
        try watcher.recogniser.checkRoom { nil }
    }

    private struct Envelope: Decodable {
        let id: String?
        let images: [String]?
    }

    private func label(_ request: Request) async throws -> Response {
        let right = #"{"images": ["data:image/jpeg;base64,…"]}"#
        let envelope = try await request.decode(Envelope.self, upTo: options.maximumUploadBytes, form: right)
        let images = envelope.images ?? []
        guard let first = images.first, images.count <= Self.maximumImages, let photo = Self.bytes(of: first) else {
            throw ProblemDetails.malformedBody(
                "“images” has to hold 1 to \(Self.maximumImages) data URLs in base64: \(right). Set FileScheme: data.")
        }
        let seen = try await watcher.animals(
            in: photo, namesPets: true,
            options: ClassificationOptions(
                priority: .bulk, deadline: try request.deadline(within: options.requestTimeout)))
        metrics.photosSearched.increment()
        let answer = PhotoPrismLabels(
            seen, id: envelope.id ?? request.id,
            tags: PhotoTags(encyclopaedia: encyclopaedia, language: .english).tags(of: seen))
        return .bytes(try JSONStreamEncoder().encode(answer), type: .json)
    }

    /// The content of a data URL (RFC 2397); nil for other text, or without base64.
    private static func bytes(of url: String) -> [UInt8]? {
        guard url.hasPrefix("data:"), let comma = url.firstIndex(of: ","), url[..<comma].hasSuffix(";base64"),
            let data = Data(base64Encoded: String(url[url.index(after: comma)...]), options: .ignoreUnknownCharacters)
        else { return nil }
        return Array(data)
    }
}
