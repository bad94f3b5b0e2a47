import HTTP

/// The problems of the interface beyond the server's own, each with a stable `type`.
extension ProblemDetails {
    /// 400: an unknown query parameter.
    static func unknownParameter(_ names: [String], known: [String]) -> ProblemDetails {
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        let right = known.isEmpty ? "This resource takes none." : "Known here: \(known.joined(separator: ", "))."
        return ProblemDetails(
            type: "/problems/unknown-parameter", title: "Unknown query parameter", status: .badRequest,
            detail: "The query parameter \(list) is not known. \(right)",
            extensions: ["parameters": .array(names.map(JSONValue.string))])
    }

    /// 400: a query parameter with an unusable value.
    static func invalidParameter(_ name: String, value: String, expected: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/invalid-parameter", title: "Invalid query parameter", status: .badRequest,
            detail: "The query parameter “\(name)” is “\(value.prefix(80))”, but has to be \(expected).",
            extensions: ["parameter": .string(name)])
    }

    /// 400: a member of the body with an unusable value.
    static func invalidValue(_ field: String, expected: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/invalid-value", title: "Invalid value", status: .badRequest,
            detail: "“\(field)” has to be \(expected).", extensions: ["field": .string(field)])
    }

    /// 400: a body that does not match its media type.
    static func malformedBody(_ detail: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/malformed-body", title: "Malformed request body", status: .badRequest, detail: detail)
    }

    /// 404: an unknown id.
    static func notFound(_ kind: String, id: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/not-found", title: "Not found", status: .notFound,
            detail: "There is no \(kind) “\(id.prefix(80))”.")
    }

    /// 409: the model cannot do this, or no model can.
    static func wrongModel(_ detail: String) -> ProblemDetails {
        ProblemDetails(type: "/problems/wrong-model", title: "Wrong model", status: .conflict, detail: detail)
    }

    /// 413: a photo with too many bytes.
    static func photoTooLarge(_ detail: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/photo-too-large", title: "Photo too large", status: .contentTooLarge, detail: detail)
    }

    static let photoTypes = "image/jpeg, image/png, image/webp, image/gif, image/tiff, image/heic, image/avif"

    /// 415: a body of a media type that is not accepted here.
    /// - Parameter accepted: the value of `Accept`, which lists the accepted types.
    static func unsupportedMediaType(
        _ detail: String,
        accepted: String = photoTypes
    ) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/unsupported-media-type", title: "Unsupported media type", status: .unsupportedMediaType,
            detail: detail, headers: ["Accept": accepted])
    }

    /// 415: the request has another `Content-Type` than those that `send` describes, or none.
    static func unsupportedMediaType(of request: Request, send right: String, accepted: String) -> ProblemDetails {
        let type = request.headers["Content-Type"].map { "“\($0.prefix(80))”" } ?? "missing"
        return unsupportedMediaType("The Content-Type is \(type); send \(right)", accepted: accepted)
    }

    /// 422: a picture that cannot be read.
    static func unreadablePhoto(_ detail: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/unreadable-photo", title: "Unreadable photo", status: .unprocessableContent,
            detail: detail)
    }

    /// 503: the queue is full.
    static func overloaded(retryAfterSeconds: Int) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/overloaded", title: "Too busy", status: .serviceUnavailable,
            detail: "All places in the queue are taken. Try again in \(retryAfterSeconds) s.",
            headers: ["Retry-After": String(retryAfterSeconds)])
    }

    /// 503: the model has not answered its warm-up photo yet, or the service is stopping.
    static func notReady(_ detail: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/not-ready", title: "Not ready", status: .serviceUnavailable, detail: detail,
            headers: ["Retry-After": "1"])
    }

    /// 504: the photo waited longer than the request allows.
    static func timedOut(_ detail: String) -> ProblemDetails {
        ProblemDetails(type: "/problems/timed-out", title: "Timed out", status: .gatewayTimeout, detail: detail)
    }

    /// 507: no room for another scan.
    static func storageFull(_ detail: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/storage-full", title: "Storage full", status: .insufficientStorage, detail: detail)
    }

    /// 503: the history cannot be reached or written.
    static func storageUnavailable(_ detail: String) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/storage-unavailable", title: "Storage unavailable", status: .serviceUnavailable,
            detail: detail, headers: ["Retry-After": "1"])
    }
}
