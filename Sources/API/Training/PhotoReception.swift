import Foundation
import HTTP
import Imaging
import Training

/// Receives labelled photos in the body of `POST /training` and `POST /evaluation`: an archive, a form, or JSON that
/// names a source of photos.
struct PhotoReception: Sendable {
    /// The largest JSON body, and the largest text field of a form, in bytes.
    private static let maximumText = 65_536
    /// The form fields that may contain an archive.
    private static let archiveFields = ["archive", "photos"]

    let service: TrainingService
    /// The largest body in bytes.
    let maximumBytes: Int

    /// - Parameters:
    ///   - parameters: the query's parameters, to which the body's are added.
    ///   - check: checks the parameters as soon as they are complete. For an archive that is before it is read.
    func receive(
        _ request: Request, _ parameters: inout TrainingParameters, check: (TrainingParameters) async throws -> Void
    ) async throws -> LabelledPhotos {
        switch request.mediaType?.essence {
        case "application/zip", "application/x-zip-compressed":
            try await check(parameters)
            return try await archive(request, .zip)
        case "application/x-tar", "application/tar":
            try await check(parameters)
            return try await archive(request, .tar)
        case "multipart/form-data":
            let upload = try await form(request, &parameters)
            try await check(parameters)
            return .upload(upload, .zip)
        case "application/json": return try await description(request, &parameters, check: check)
        default:
            throw ProblemDetails.unsupportedMediaType(
                of: request, send: "a ZIP or TAR archive with one folder for each class, a form, or JSON.",
                accepted: "application/zip, application/x-tar, multipart/form-data, application/json")
        }
    }

    private func archive(_ request: Request, _ kind: PhotoSource.Archive) async throws -> LabelledPhotos {
        let upload = try await service.newUpload(kind, expected: request.body.contentLength)
        for try await chunk in request.body {
            guard upload.count <= maximumBytes - chunk.count else {
                throw RequestBodyError.tooLarge(limit: maximumBytes)
            }
            try await upload.append(chunk)
        }
        return .upload(upload, kind)
    }

    /// Reads `{"source": "corrections"}`, `{"source": "individuals"}` or `{"source": "folder", "folder": "…"}`, with
    /// the parameters beside it.
    private func description(
        _ request: Request, _ parameters: inout TrainingParameters, check: (TrainingParameters) async throws -> Void
    ) async throws -> LabelledPhotos {
        let body = try await request.body.collect(upTo: Self.maximumText)
        guard let object = JSON.object(in: body) else {
            throw ProblemDetails.malformedBody(
                #"The body has to be a JSON object such as {"source": "corrections", "name": "mine"}."#)
        }
        if let detail = JSON.repeated(in: body) { throw ProblemDetails.malformedBody(detail) }
        var fields: [String: String] = [:]
        for (name, value) in object where !(value is NSNull) { fields[name] = Self.text(value) }
        try parameters.merge(fields, others: ["source", "folder"])
        try await check(parameters)
        switch fields["source"] {
        case "corrections": return .source(.corrections)
        case "individuals": return .source(.individuals)
        case "folder":
            guard let folder = fields["folder"], !folder.isEmpty else {
                throw ProblemDetails.malformedBody("“folder” is missing: a folder below training.folder_root.")
            }
            return .source(.folder(try service.allowedFolder(folder)))
        case let source:
            throw ProblemDetails.malformedBody(
                "“source” is \(source.map { "“\($0.prefix(80))”" } ?? "missing"), but has to be corrections, individuals or folder; "
                    + "photos come as application/zip, application/x-tar or multipart/form-data.")
        }
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let text as String: text
        // Only `augment` may be a list. An empty one asks for no further views.
        case let list as [Any]: list.isEmpty ? "none" : list.map(text).joined(separator: ",")
        // Foundation represents true and false as numbers.
        case let number as NSNumber where number.isTruth:
            number.boolValue ? "true" : "false"
        default: "\(value)"
        }
    }

    /// Reads a form. Text fields are parameters, the field `archive` is a ZIP, and every other file is a photo whose
    /// field names its class: `-F apple=@1.jpg -F apple=@2.jpg`.
    private func form(_ request: Request, _ parameters: inout TrainingParameters) async throws -> TrainingUpload {
        let limits = service.configuration.limits
        let upload = try await service.newUpload(.zip, expected: request.body.contentLength)
        var fields: [String: String] = [:]
        var (part, bytes): (Part, [UInt8]) = (.archive, [])
        var (hasArchive, hasPhotos) = (false, false)
        try await request.readForm(
            limits: MultipartLimits(parts: limits.photos + 32, partBytes: maximumBytes, totalBytes: maximumBytes)
        ) { event in
            switch (event, part) {
            case (.partBegan(let head), _):
                (part, bytes) = (try Part(head), [])
                guard part.isText || (!hasArchive && (part != .archive || !hasPhotos)) else {
                    throw ProblemDetails.malformedBody(
                        "The form has an archive and other photos: send one or the other.")
                }
                hasArchive = hasArchive || part == .archive
            case (.partBytes(let slice), .archive): try await upload.append(Array(slice))
            case (.partBytes(let slice), _):
                let limit = part.isText ? Self.maximumText : limits.photoBytes
                guard bytes.count + slice.count <= limit else { throw RequestBodyError.tooLarge(limit: limit) }
                bytes += slice
            case (.partEnded, .text(let name)): fields[name] = String(decoding: bytes, as: UTF8.self)
            case (.partEnded, .photo(let label, let file)):
                hasPhotos = true
                try await upload.add(bytes, label: label, file: file)
            case (.partEnded, .archive): break
            }
        }
        if !hasArchive { try await upload.endPhotos() }
        try parameters.merge(fields)
        return upload
    }

    /// The meaning of a form's part.
    private enum Part: Equatable {
        case text(String)
        case archive
        case photo(label: String, file: String)

        var isText: Bool { if case .text = self { true } else { false } }

        init(_ head: MultipartHead) throws {
            let name = head.name
            guard let filename = head.filename else {
                self = .text(name)
                return
            }
            // A class may have the name of such a field.
            let isPhoto =
                head.headers["Content-Type"]?.hasPrefix("image/") == true || ImageFormat.isPhoto(named: filename)
            guard isPhoto || !archiveFields.contains(name) else {
                self = .archive
                return
            }
            guard !name.contains("/"), name != "..", name != ".", !name.isEmpty else {
                throw ProblemDetails.malformedBody(
                    "A file's field names its class, which “\(name.prefix(80))” cannot be.")
            }
            self = .photo(label: name, file: filename.split(separator: "/").last.map(String.init) ?? "photo")
        }
    }
}
