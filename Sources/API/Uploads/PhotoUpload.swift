import Base
import Foundation
import HTTP

/// The photos of a request: a raw body, the fields `image` of a form, or base64 in JSON.
struct PhotoUpload: Sendable {
    /// The largest number of photos in one form.
    static let maximumPhotos = 32

    /// The bytes of each photo as received.
    let photos: [[UInt8]]
    /// Whether the form had several photos, which are answered as a list.
    var isList: Bool { photos.count > 1 }

    /// Reads the body.
    /// - Parameters:
    ///   - parameters: the names of the query's parameters, which the body cannot have.
    ///   - limit: the largest body in bytes.
    /// - Throws: `ProblemDetails` (400, 411, 415), `RequestBodyError` (400, 408, 413) or `MultipartError` (400, 413).
    init(_ request: Request, parameters: [String], limit: Int) async throws {
        try request.requireBody("photo")
        let type = request.mediaType
        switch type?.essence {
        case "multipart/form-data":
            let parts = try await request.multipartParts(
                limits: MultipartLimits(parts: Self.maximumPhotos + 8, partBytes: limit, totalBytes: limit))
            try Self.refuse(parts.map(\.name).filter(parameters.contains), on: request)
            photos = try Self.images(in: parts)
        case "application/json":
            photos = [try await Self.base64(in: request, limit)]
        case "application/octet-stream": photos = [try await request.body.collect(upTo: limit)]
        case _ where type?.type == "image": photos = [try await request.body.collect(upTo: limit)]
        default:
            throw ProblemDetails.unsupportedMediaType(
                of: request,
                send:
                    "image/*, multipart/form-data with the field “image”, or application/json with base64 in “image”.",
                accepted: ProblemDetails.photoTypes)
        }
        guard photos.allSatisfy({ !$0.isEmpty }) else {
            throw ProblemDetails.malformedBody("The photo has no bytes.")
        }
    }

    private static func images(in parts: [MultipartPart]) throws -> [[UInt8]] {
        let images = parts.filter { $0.name == "image" }
        guard !images.isEmpty else {
            throw ProblemDetails.missing(field: "image", among: parts.map(\.name), example: "image=@photo.jpg")
        }
        guard images.count <= maximumPhotos else {
            throw ProblemDetails.photoTooLarge(
                "The form has \(images.count) photos; at most \(maximumPhotos) are taken at once.")
        }
        return images.map(\.bytes)
    }

    /// Refuses members of the body that would have no effect.
    private static func refuse(_ names: [String], on request: Request) throws {
        guard let name = names.first else { return }
        throw ProblemDetails.malformedBody(
            "“\(name.prefix(80))” has no effect in the body: parameters are in the query, "
                + "such as \(request.path)?lang=fi; the body has only “image”.")
    }

    private static func base64(in request: Request, _ limit: Int) async throws -> [UInt8] {
        struct Envelope: Decodable {
            let image: String
            let others: [String]

            init(from decoder: any Decoder) throws {
                image = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .image)
                others = try decoder.singleValueContainer().decode([String: Ignored].self).keys
                    .filter { $0 != Key.image.rawValue }.sorted()
            }

            private enum Key: String, CodingKey { case image }

            private struct Ignored: Decodable {
                init(from decoder: any Decoder) {}
            }
        }
        let right = #"{"image": "<base64 of the photo>"}"#
        let envelope = try await request.decode(Envelope.self, upTo: limit, form: right)
        try refuse(envelope.others, on: request)
        // A data URL, which browsers' FileReader makes, is accepted too.
        let text =
            envelope.image.hasPrefix("data:") ? envelope.image.drop { $0 != "," }.dropFirst() : envelope.image[...]
        guard let data = Data(base64Encoded: String(text), options: .ignoreUnknownCharacters),
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "+/=\r\n".utf8.contains($0) })
        else {
            throw ProblemDetails.malformedBody("“image” is not base64 (RFC 4648 §4); the body has to be \(right).")
        }
        return Array(data)
    }
}
