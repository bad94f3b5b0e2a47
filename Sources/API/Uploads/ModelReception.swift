import HTTP
import Recognition

/// Receives the files of a model as a form. The files have the names that they have in a folder of models.
struct ModelReception: Sendable {
    /// The bytes of a form besides its files.
    private static let formBytes = 1 << 20
    /// The largest body, in bytes.
    static let maximumBytes = ModelUpload.maximumBytes + formBytes

    /// Two models are received at a time.
    private let seats = Seats(count: 2)

    /// - Throws: `ProblemDetails` (400, 413, 415, 503), `MultipartError`, ``ModelUploadError``, `FileError`.
    func receive(_ request: Request, for models: ModelRepository) async throws -> ModelUpload {
        guard request.mediaType?.essence == "multipart/form-data" else {
            throw ProblemDetails.unsupportedMediaType(
                of: request,
                send: "a form with the files of a model. With curl: -F file=@my_model.onnx -F file=@labels.txt",
                accepted: "multipart/form-data")
        }
        guard let seat = seats.take() else { throw ModelUploadError.busy }
        defer { seat.leave() }
        let upload = try await models.newUpload()
        let limits = MultipartLimits(parts: 32, partBytes: ModelUpload.maximumBytes, totalBytes: Self.maximumBytes)
        try await request.readForm(limits: limits) { event in
            switch event {
            case .partBegan(let head):
                guard let name = head.filename else {
                    throw ProblemDetails.malformedBody(
                        "The field “\(head.name.prefix(80))” is no file; name and version stand in the query.")
                }
                try await upload.begin(name)
            case .partBytes(let bytes): try await upload.append(Array(bytes))
            case .partEnded: break
            }
        }
        return upload
    }
}
