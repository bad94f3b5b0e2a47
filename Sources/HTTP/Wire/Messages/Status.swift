import Base

/// A status code (RFC 9110 §15) with the reason phrase of the IANA registry.
package struct Status: Hashable, Sendable, CustomStringConvertible {
    /// 100–999.
    package let code: Int

    package init(code: Int) {
        self.code = code
    }

    package static let switchingProtocols = Status(code: 101)
    package static let ok = Status(code: 200)
    package static let created = Status(code: 201)
    package static let accepted = Status(code: 202)
    package static let noContent = Status(code: 204)
    package static let partialContent = Status(code: 206)
    package static let notModified = Status(code: 304)
    package static let permanentRedirect = Status(code: 308)
    package static let badRequest = Status(code: 400)
    package static let unauthorized = Status(code: 401)
    package static let forbidden = Status(code: 403)
    package static let notFound = Status(code: 404)
    package static let methodNotAllowed = Status(code: 405)
    package static let notAcceptable = Status(code: 406)
    package static let requestTimeout = Status(code: 408)
    package static let conflict = Status(code: 409)
    package static let gone = Status(code: 410)
    package static let lengthRequired = Status(code: 411)
    package static let preconditionFailed = Status(code: 412)
    package static let contentTooLarge = Status(code: 413)
    package static let uriTooLong = Status(code: 414)
    package static let unsupportedMediaType = Status(code: 415)
    package static let rangeNotSatisfiable = Status(code: 416)
    package static let expectationFailed = Status(code: 417)
    package static let misdirectedRequest = Status(code: 421)
    package static let unprocessableContent = Status(code: 422)
    package static let upgradeRequired = Status(code: 426)
    package static let tooManyRequests = Status(code: 429)
    package static let requestHeaderFieldsTooLarge = Status(code: 431)
    package static let internalServerError = Status(code: 500)
    package static let notImplemented = Status(code: 501)
    package static let badGateway = Status(code: 502)
    package static let serviceUnavailable = Status(code: 503)
    package static let gatewayTimeout = Status(code: 504)
    package static let httpVersionNotSupported = Status(code: 505)
    package static let insufficientStorage = Status(code: 507)

    package var description: String { "\(code) \(reasonPhrase)" }

    /// Whether the answer never has content (RFC 9110 §6.4.1, §15).
    package var forbidsContent: Bool { code < 200 || code == 204 || code == 304 }

    /// The registered phrase; empty for other codes, as RFC 9112 §4 allows.
    package var reasonPhrase: String { Self.phrases[code] ?? "" }

    private static let phrases = [
        101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
        206: "Partial Content", 304: "Not Modified", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        507: "Insufficient Storage",
    ]
}
