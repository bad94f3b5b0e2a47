import Base
import Foundation
import HTTP
import History

/// Reads query parameters one by one, strictly: a value out of range, a parameter given twice and, in the end,
/// a parameter that nobody asked for are each a 400 that names it.
struct QueryReader {
    private let parameters: QueryParameters
    private var known: [String] = []

    init(_ request: Request) {
        parameters = request.query
    }

    init(_ parameters: QueryParameters) {
        self.parameters = parameters
    }

    mutating func text(_ name: String) throws -> String? {
        known.append(name)
        let values = parameters.values(for: name)
        guard values.count < 2 else {
            throw Problem(
                .invalidParameter(name, value: values.joined(separator: ", "), expected: "given once"))
        }
        return values.first
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>, default defaultValue: Int) throws -> Int {
        guard let text = try text(name) else { return defaultValue }
        guard let value = Int(text), range.contains(value) else {
            throw Problem(
                .invalidParameter(
                    name, value: text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"))
        }
        return value
    }

    /// The `cursor` of lists that go from the newest to the oldest: the identifier of the last entry of the page before.
    mutating func identifierCursor() throws -> ULID? {
        guard let text = try text("cursor") else { return nil }
        guard let id = ULID(text) else {
            throw Problem(.invalidParameter("cursor", value: text, expected: "the next_cursor of an earlier page"))
        }
        return id
    }

    /// Whether a parameter is given.
    func has(_ name: String) -> Bool { parameters[name] != nil }

    /// What a parameter is given as; empty where it is not.
    func value(_ name: String) -> String { parameters[name] ?? "" }

    mutating func fraction(_ name: String) throws -> Double? {
        guard let text = try text(name) else { return nil }
        guard let value = Double(text), (0...1).contains(value) else {
            throw Problem(.invalidParameter(name, value: text, expected: "a number from 0 to 1"))
        }
        return value
    }

    mutating func flag(_ name: String, default defaultValue: Bool) throws -> Bool {
        switch try text(name) {
        case nil: return defaultValue
        case "true", "1": return true
        case "false", "0": return false
        case let text?: throw Problem(.invalidParameter(name, value: text, expected: "true or false"))
        }
    }

    mutating func optionalFlag(_ name: String) throws -> Bool? {
        guard parameters[name] != nil else {
            known.append(name)
            return nil
        }
        return try flag(name, default: false)
    }

    /// A time in RFC 3339, with any offset.
    mutating func time(_ name: String) throws -> Date? {
        guard let text = try text(name) else { return nil }
        guard let time = Date(rfc3339: text) else {
            throw Problem(
                .invalidParameter(name, value: text, expected: "an RFC 3339 time such as 2026-03-01T12:00:00Z"))
        }
        return time
    }

    /// A word of an enumeration.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, of: Choice.Type) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidParameter(name, value: text, expected: "one of \(words)"))
        }
        return choice
    }

    /// Every value of a parameter that may be repeated.
    mutating func list(_ name: String) -> [String] {
        known.append(name)
        return parameters.values(for: name)
    }

    /// Refuses what nobody asked for; to be called after the last parameter was read.
    func finish() throws {
        let unknown = parameters.names.filter { !known.contains($0) }
        guard unknown.isEmpty else { throw Problem(.unknownParameter(unknown, known: known)) }
    }
}
