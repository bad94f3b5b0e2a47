import Base
import HTTP
import History

/// Receives the video of a request, a raw body or the field `video` of a form, into a file.
struct VideoUpload {
    let jobs: VideoJobs

    /// The bytes that are reserved at a time if the client does not state the length.
    private static let step = 8 << 20
    /// The bytes of a form besides its file.
    static let formBytes = 1 << 20

    /// Reads the body into the folder of a video. Its bytes stay reserved.
    ///
    /// - Returns: the size of the video in bytes.
    /// - Throws: `ProblemDetails` (400, 411, 413, 415, 507), `RequestBodyError`, `MultipartError`, `HistoryError`.
    func receive(_ request: Request, as id: ULID) async throws -> Int {
        try request.requireBody("video")
        let isForm = try Self.isForm(request)
        let limit = jobs.options.maximumBytes
        if let length = request.body.contentLength, length > limit + (isForm ? Self.formBytes : 0) {
            throw ProblemDetails.videoTooLarge(limit: limit)
        }
        var room = request.body.contentLength ?? min(limit, Self.step)
        try await jobs.promise(room, to: id)
        let folder = jobs.folder
        let file = try await jobs.blocking {
            try folder.begin(.source, id)
        }
        var count = 0
        func append(_ bytes: [UInt8]) async throws {
            guard count + bytes.count <= limit else { throw ProblemDetails.videoTooLarge(limit: limit) }
            if count + bytes.count > room {
                try await jobs.promise(Self.step, to: id)
                room += Self.step
            }
            let position = count
            try await jobs.blocking {
                try file.write(bytes, at: position)
            }
            count += bytes.count
        }
        if isForm {
            try await receiveForm(request, append)
        } else {
            for try await chunk in request.body { try await append(chunk) }
        }
        guard count > 0 else { throw ProblemDetails.malformedBody("The video has no bytes.") }
        try await jobs.blocking {
            try folder.finish(.source, id)
        }
        return count
    }

    private func receiveForm(_ request: Request, _ append: ([UInt8]) async throws -> Void) async throws {
        let limit = jobs.options.maximumBytes
        var isVideo = false
        var names: [String] = []
        let limits = MultipartLimits(partBytes: limit, totalBytes: limit + Self.formBytes)
        try await request.readForm(limits: limits) { event in
            switch event {
            case .partBegan(let head):
                guard head.name != "video" || !names.contains("video") else {
                    throw ProblemDetails.malformedBody(
                        "The form has several fields “video”; send one video at a time.")
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
            let list = names.map { "“\($0.prefix(40))”" }.joined(separator: ", ")
            throw ProblemDetails.malformedBody(
                "The form has no field “video”\(list.isEmpty ? "" : ", only \(list)"). "
                    + "With curl: -F video=@clip.mp4")
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
