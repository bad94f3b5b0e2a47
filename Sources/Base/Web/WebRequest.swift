package import Foundation

/// A request to the HTTP server of another program.
package struct WebRequest: Sendable {
    package let url: URL
    package var method: String
    /// The header fields by name. Line breaks in values become spaces.
    package var fields: [String: String]
    package var body: [UInt8]?

    package init(_ url: URL, method: String = "GET", fields: [String: String] = [:], body: [UInt8]? = nil) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
    }
}

/// Status and header fields of an answer.
package struct WebHead: Sendable {
    package let status: Int
    /// By lower-case names. Of several fields of one name, the last.
    private var fields: [String: String] = [:]

    /// - Parameter line: the status line, such as `HTTP/1.1 200 OK`. Nil if it is not one.
    init?(statusLine line: String) {
        let words = line.split(separator: " ")
        guard line.hasPrefix("HTTP/"), words.count > 1, let status = Int(words[1]) else { return nil }
        self.status = status
    }

    mutating func add(fieldLine line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }

    /// - Parameter name: in lower case.
    package subscript(name: String) -> String? { fields[name] }

    /// The size of the body in bytes (`Content-Length`). Nil if the server does not tell it.
    package var length: Int? { self["content-length"].flatMap { Int($0) } }
}
