import HTTP

/// Problems whose sentence is always of the same form.
extension ProblemDetails {
    /// 400: an unknown query parameter.
    static func unknownParameter(_ names: [String], known: [String]) -> ProblemDetails {
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        let right = known.isEmpty ? "This resource takes none." : "Known here: \(known.joined(separator: ", "))."
        return unknownQuery(
            "The query parameter \(list) is not known. \(right)",
            extensions: ["parameters": .array(names.map(JSONValue.string))])
    }

    /// 400: a query parameter with an unusable value.
    static func invalidParameter(_ name: String, value: String, expected: String) -> ProblemDetails {
        invalidQuery(
            "The query parameter “\(name)” is “\(value.prefix(80))”, but has to be \(expected).",
            extensions: ["parameter": .string(name)])
    }

    /// 400: a member of the body with an unusable value.
    static func invalidValue(_ field: String, expected: String) -> ProblemDetails {
        invalidMember("“\(field)” has to be \(expected).", extensions: ["field": .string(field)])
    }

    /// 400: a form without its file.
    static func missing(field: String, among names: [String], example: String) -> ProblemDetails {
        let list = names.map { "“\($0.prefix(40))”" }.joined(separator: ", ")
        return malformedBody(
            "The form has no field “\(field)”\(list.isEmpty ? "" : ", only \(list)"). With curl: -F \(example)")
    }

    /// 404: an unknown id.
    static func notFound(_ kind: String, id: String) -> ProblemDetails {
        ProblemDetails(.notFound, detail: "There is no \(kind) “\(id.prefix(80))”.")
    }

    static let photoTypes = "image/jpeg, image/png, image/webp, image/gif, image/tiff, image/heic, image/avif"

    /// 415: a body of a media type that is not accepted here.
    /// - Parameter accepted: the value of `Accept`, which lists the accepted types.
    static func unsupportedMediaType(_ detail: String, accepted: String = photoTypes) -> ProblemDetails {
        ProblemDetails(.unsupportedMediaType, detail: detail, headers: ["Accept": accepted])
    }

    /// 415: the request has another `Content-Type` than those that `send` describes, or none.
    static func unsupportedMediaType(of request: Request, send right: String, accepted: String) -> ProblemDetails {
        let type = request.headers["Content-Type"].map { "“\($0.prefix(80))”" } ?? "missing"
        return unsupportedMediaType("The Content-Type is \(type); send \(right)", accepted: accepted)
    }

    /// 503: the queue is full.
    static func overloaded(retryAfterSeconds: Int) -> ProblemDetails {
        tooBusy(
            "All places in the queue are taken. Try again in \(retryAfterSeconds) s.",
            retryAfterSeconds: retryAfterSeconds)
    }
}
