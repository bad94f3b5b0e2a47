import Base
import HTTP
import Recognition

/// Receives the files of a model as a form. The files have the names that they have in a folder of models.
final class ModelReception: Sendable {
    /// The number of models received at a time.
    private static let width = 2
    /// The bytes of a form besides its files.
    private static let formBytes = 1 << 20
    /// The largest body, in bytes.
    static let maximumBytes = ModelUpload.maximumBytes + formBytes

    private let count = Locked(0)

    /// - Throws: ``Problem`` (400, 413, 415, 503), `MultipartError`, ``ModelUploadError``, `FileError`.
    func receive(_ request: Request, for models: ModelRepository) async throws -> ModelUpload {
        let field = request.headers["Content-Type"]
        guard field.flatMap({ MediaType($0) })?.essence == "multipart/form-data" else {
            throw Problem(
                .unsupportedMediaType(
                    "The Content-Type is \(field.map { "“\($0.prefix(80))”" } ?? "missing"); send a form with the files "
                        + "of a model. With curl: -F file=@my_model.onnx -F file=@labels.txt",
                    accepted: "multipart/form-data"))
        }
        guard
            count.withLock({ count in
                guard count < Self.width else { return false }
                count += 1
                return true
            })
        else { throw ModelUploadError.busy }
        defer { count.withLock { $0 -= 1 } }
        var parser = try MultipartParser(
            contentType: field,
            limits: MultipartLimits(parts: 32, partBytes: ModelUpload.maximumBytes, totalBytes: Self.maximumBytes))
        let upload = try await models.newUpload()
        for try await chunk in request.body {
            for event in try parser.feed(chunk) {
                switch event {
                case .partBegan(let head):
                    guard let name = head.filename else {
                        throw Problem(
                            .malformedBody(
                                "The field “\(head.name.prefix(80))” is no file; name and version stand in the query."))
                    }
                    try await upload.begin(name)
                case .partBytes(let bytes): try await upload.append(Array(bytes))
                case .partEnded: break
                }
            }
        }
        try parser.finish()
        return upload
    }
}
