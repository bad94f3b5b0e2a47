import HTTP

/// Reads the video of a request, a raw body or the field `video` of a form.
struct VideoUpload {
    /// The bytes of a form besides its file.
    static let formBytes = 1 << 20

    /// The size of the video, or somewhat more, if the client states it.
    let length: Int?
    private let request: Request
    private let isForm: Bool
    /// The largest video in bytes.
    private let limit: Int

    /// - Throws: `ProblemDetails` (400, 411, 413, 415).
    init(_ request: Request, limit: Int) throws {
        try request.requireBody("video")
        isForm = try Self.isForm(request)
        length = request.body.contentLength
        if let length, length > limit + (isForm ? Self.formBytes : 0) {
            throw ProblemDetails.videoTooLarge(limit: limit)
        }
        (self.request, self.limit) = (request, limit)
    }

    /// - Throws: `ProblemDetails` (400), `RequestBodyError`, `MultipartError`, and the errors of `append`.
    func receive(_ append: ([UInt8]) async throws -> Void) async throws {
        guard isForm else {
            for try await chunk in request.body { try await append(chunk) }
            return
        }
        var isVideo = false
        var names: [String] = []
        let limits = MultipartLimits(partBytes: limit, totalBytes: limit + Self.formBytes)
        try await request.readForm(limits: limits) { event in
            switch event {
            case .partBegan(let head):
                guard head.name != "video" || !names.contains("video") else {
                    throw ProblemDetails.malformedBody("The form has several fields “video”; send one video at a time.")
                }
                names.append(head.name)
                isVideo = head.name == "video"
            case .partBytes(let bytes):
                if isVideo { try await append(Array(bytes)) }
            case .partEnded:
                isVideo = false
            }
        }
        guard names.contains("video") else {
            throw ProblemDetails.missing(field: "video", among: names, example: "video=@clip.mp4")
        }
    }

    private static func isForm(_ request: Request) throws -> Bool {
        let type = request.mediaType
        switch type?.essence {
        case "multipart/form-data": return true
        case "application/octet-stream", "image/gif", "application/ogg": return false
        case _ where type?.type == "video": return false
        default:
            throw ProblemDetails.unsupportedMediaType(
                of: request, send: "video/*, image/gif, or multipart/form-data with the field “video”.",
                accepted: "video/mp4, video/quicktime, video/webm, video/x-matroska, video/x-msvideo, image/gif")
        }
    }
}
