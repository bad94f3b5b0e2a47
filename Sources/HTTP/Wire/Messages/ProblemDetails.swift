import Base
/// An error as the client gets it (RFC 9457), sent as `application/problem+json`.
package struct ProblemDetails: Sendable {
    /// A stable reference, such as `/problems/unsupported-media-type`.
    package var type: String
    package var title: String
    package var status: Status
    package var detail: String?
    package var extensions: [String: JSONValue]
    /// Header fields of the response, such as `Retry-After` and `Allow`.
    package var headers: HeaderFields

    package init(
        type: String, title: String, status: Status, detail: String? = nil, extensions: [String: JSONValue] = [:],
        headers: HeaderFields = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.extensions = extensions
        self.headers = headers
    }

    /// A problem that the status alone explains: `/problems/not-found`, "Not Found".
    package init(_ status: Status, detail: String? = nil, headers: HeaderFields = [:]) {
        let words = status.reasonPhrase.lowercased().split(separator: " ")
        self.init(
            type: "/problems/" + (words.isEmpty ? "status-\(status.code)" : words.joined(separator: "-")),
            title: status.reasonPhrase, status: status, detail: detail, headers: headers)
    }

    /// The document in UTF-8. An extension cannot replace a standard member.
    package func json() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        func member(_ name: String, _ value: JSONValue) {
            bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            JSONText.append(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            value.write(to: &bytes)
        }
        member("type", .string(type))
        member("title", .string(title))
        member("status", .integer(status.code))
        if let detail { member("detail", .string(detail)) }
        let standard: Set<String> = ["type", "title", "status", "detail", "instance"]
        for (name, value) in extensions.sorted(by: { $0.key < $1.key }) where !standard.contains(name) {
            member(name, value)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

/// An error that has its own answer. Every other thrown error becomes a 500 without its details.
package protocol ProblemConvertible: Error {
    var problem: ProblemDetails { get }
    /// What the problem keeps from clients and the log needs, such as the path of a file. Nil if the problem says all.
    var hiddenReason: String? { get }
}

extension ProblemConvertible {
    package var hiddenReason: String? { nil }
}

/// Logs errors of the current request, for handlers that put a problem into a larger answer instead of throwing it.
package struct RequestLog: Sendable {
    /// Set around every asynchronous handler. A body that is streamed runs later, so its maker takes the value along.
    @TaskLocal package static var current: RequestLog?

    package let report: @Sendable (any Error) -> Void

    package init(_ report: @escaping @Sendable (any Error) -> Void) { self.report = report }
}

extension ProblemDetails: ProblemConvertible {
    package var problem: ProblemDetails { self }

    /// The problem that an error names, or a 500 without its details.
    package init(of error: any Error) {
        self = (error as? any ProblemConvertible)?.problem ?? ProblemDetails(.internalServerError)
    }
}
