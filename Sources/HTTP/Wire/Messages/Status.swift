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
    package var reasonPhrase: String {
        switch code {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}
