import Base
import Encyclopaedia
import Foundation
import HTTP
import Storage

/// Reads query parameters strictly. A value out of range, a repeated parameter and, at the end, an unknown parameter
/// are each a 400 that names the parameter.
struct QueryReader {
    /// Makes the problem with a value from the parameter's name, its value and what would be right.
    typealias Refusal = @Sendable (_ name: String, _ value: String, _ expected: String) -> ProblemDetails

    private let parameters: QueryParameters
    private let refusal: Refusal
    /// The parameters that were read so far.
    private(set) var known: [String] = []

    init(_ request: Request) {
        self.init(request.query)
    }

    init(_ parameters: QueryParameters, refusal: @escaping Refusal = ProblemDetails.invalidParameter) {
        self.parameters = parameters
        self.refusal = refusal
    }

    mutating func text(_ name: String) throws -> String? {
        known.append(name)
        let values = parameters.values(for: name)
        guard values.count < 2 else { throw refusal(name, values.joined(separator: ", "), "given once") }
        return values.first
    }

    /// What `read` makes of a parameter's text; nil if the parameter is absent.
    ///
    /// - Parameter read: nil refuses the text. `expected` then says what would be right.
    mutating func value<Value>(
        _ name: String, _ expected: @autoclosure () -> String, _ read: (String) -> Value?
    ) throws -> Value? {
        guard let text = try text(name) else { return nil }
        guard let value = read(text) else { throw refusal(name, text, expected()) }
        return value
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>, default defaultValue: Int) throws -> Int {
        try value(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(decimal: text).flatMap { range.contains($0) ? $0 : nil }
        } ?? defaultValue
    }

    /// The end of the page before; nil for the first page.
    mutating func cursor(of list: String) throws -> Cursor? {
        try cursor(of: list) { $0 }
    }

    /// The `cursor` of a list from newest to oldest: the identifier of the last entry on the page before.
    mutating func identifierCursor(of list: String) throws -> ULID? {
        try cursor(of: list) { ULID($0.id) }
    }

    /// The number of items before the page, in a list that never changes while the service runs.
    mutating func offset(of list: String) throws -> Int {
        try cursor(of: list) { Int(exactly: $0.number) } ?? 0
    }

    /// The page of a list that is short, and whole without a `limit`.
    static func pageOfShortList(_ list: String, _ request: Request) throws -> (offset: Int, limit: Int) {
        var reader = QueryReader(request)
        let page = (try reader.offset(of: list), try reader.integer("limit", in: 1...100, default: .max))
        try reader.finish()
        return page
    }

    private mutating func cursor<Position>(of list: String, _ read: (Cursor) -> Position?) throws -> Position? {
        try value("cursor", "the next_cursor of an earlier page") { text in
            Cursor(text).flatMap { $0.list == list ? read($0) : nil }
        }
    }

    func has(_ name: String) -> Bool { parameters[name] != nil }

    /// The value of a parameter; empty if it is absent.
    func value(_ name: String) -> String { parameters[name] ?? "" }

    mutating func number(_ name: String, in range: ClosedRange<Double>, _ expected: String? = nil) throws -> Double? {
        try value(name, expected ?? "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Double(decimal: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func flag(_ name: String, default defaultValue: Bool) throws -> Bool { try flag(name) ?? defaultValue }

    mutating func flag(_ name: String) throws -> Bool? {
        switch try text(name) {
        case nil: return nil
        case "true", "1": return true
        case "false", "0": return false
        case let text?: throw refusal(name, text, "true or false")
        }
    }

    /// A time in RFC 3339, with any offset. A + that was not escaped in the address arrives as a space.
    mutating func time(_ name: String) throws -> Date? {
        try value(name, "an RFC 3339 time such as 2026-03-01T12:00:00Z") { text in
            Date(rfc3339: text) ?? Date(rfc3339: text.replacing(/\ (?=\d\d:\d\d$)/, with: "+"))
        }
    }

    /// A value of an enumeration.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, of: Choice.Type) throws -> Choice?
    where Choice.RawValue == String {
        try value(name, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))", Choice.init(rawValue:))
    }

    /// All values of a parameter that may be repeated.
    mutating func list(_ name: String) -> [String] {
        known.append(name)
        return parameters.values(for: name)
    }

    /// Refuses unknown parameters. Call it after the last parameter was read.
    func finish() throws {
        let unknown = parameters.items.map(\.name).filter { !known.contains($0) }
        guard unknown.isEmpty else { throw ProblemDetails.unknownParameter(unknown, known: known) }
    }
}

extension QueryReader {
    /// The language of the answer: `lang`, else the preference in `Accept-Language`, else English.
    mutating func language(of request: Request) throws -> Language {
        if let language = try choice("lang", of: Language.self) { return language }
        return AcceptLanguage.lookup(Language.allCases.map(\.rawValue), for: request.headers).flatMap(Language.init)
            ?? .english
    }
    /// Reads the filter of scans: `label`, `species`, `from`, `to`, `corrected`, `named`, `individual`, `abstained`,
    /// and `q` for notes.
    mutating func historyFilter() throws -> HistoryQuery {
        var query = HistoryQuery()
        query.label = try text("label")
        query.species = try text("species")
        query.from = try time("from")
        query.to = try time("to")
        query.corrected = try flag("corrected")
        query.named = try flag("named")
        query.individual = try text("individual")
        query.abstained = try flag("abstained")
        query.text = try text("q")
        return query
    }
}

extension Handler {
    /// A task that answers for a resource without query parameters, and refuses a request that has any.
    static func withoutQuery(_ body: @escaping @Sendable (Request) async throws -> Response) -> Handler {
        .asynchronous { request in
            try QueryReader(request).finish()
            return try await body(request)
        }
    }

    /// A task that changes a resource without query parameters, and answers 204.
    static func noContent(_ body: @escaping @Sendable (Request) async throws -> Void) -> Handler {
        .withoutQuery { request in
            try await body(request)
            return Response(status: .noContent)
        }
    }

    /// Answers on the connection's loop for a resource without query parameters, and refuses a request that has any.
    static func inlineWithoutQuery(_ body: @escaping @Sendable (Request) throws -> Response) -> Handler {
        .inline { request in
            try QueryReader(request).finish()
            return try body(request)
        }
    }
}

extension Request {
    /// The time after which the client does not want the answer: `X-Request-Timeout` seconds after the request's
    /// arrival, but at most the service's limit.
    ///
    /// - Throws: `ProblemDetails` (400) if the field is not a positive number of seconds.
    func deadline(within limit: Duration) throws -> ContinuousClock.Instant {
        guard let text = headers["X-Request-Timeout"] else { return arrival + limit }
        guard let seconds = Double(decimal: text), seconds > 0 else {
            throw ProblemDetails.invalidHeader(
                "X-Request-Timeout is “\(text.prefix(40))”, but has to be a number of seconds above 0.",
                extensions: ["header": "X-Request-Timeout"])
        }
        return arrival + min(limit, .seconds(min(seconds, 86_400)))
    }
}
