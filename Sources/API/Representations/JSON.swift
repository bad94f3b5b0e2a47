import Base
import Foundation
import HTTP

/// The JSON of the interface: snake_case keys, RFC 3339 times in UTC with milliseconds.
enum JSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSONStreamEncoder(keys: .snakeCase, date: \.rfc3339).encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        guard isStrict(bytes) else { throw ProblemDetails.malformedBody("The body has to be JSON in UTF-8.") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(bytes))
    }

    /// The members of a JSON object.
    ///
    /// - Throws: `ProblemDetails` (400) for a body that is no object, or has members with other names or one twice.
    static func members(_ body: [UInt8], known: [String], example: String) throws -> [String: Any] {
        guard let members = object(in: body) else {
            throw ProblemDetails.malformedBody("The body has to be a JSON object such as \(example).")
        }
        if let unknown = unknown(members, known: known) { throw ProblemDetails.malformedBody(unknown.detail) }
        if let detail = repeated(in: body) { throw ProblemDetails.malformedBody(detail) }
        return members
    }

    /// A sentence about a member that a JSON object has twice; nil if there is none.
    static func repeated(in body: [UInt8]) -> String? {
        RepeatedMember.first(in: Data(body)).map { "“\($0.prefix(80))” is there twice, but has to be there once." }
    }

    /// The members of a JSON object (RFC 8259); nil for any other text.
    static func object(in bytes: [UInt8]) -> [String: Any]? {
        guard isStrict(bytes) else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    }

    /// Whether the text is free of what Foundation takes beyond RFC 8259: UTF-16, and a comma before a closing bracket.
    private static func isStrict(_ bytes: [UInt8]) -> Bool {
        var (isInText, isEscaped, last) = (false, false, UInt8(0))
        for byte in bytes {
            switch byte {
            case 0: return false
            case UInt8(ascii: "\\") where isInText:
                isEscaped.toggle()
                continue
            case UInt8(ascii: "\"") where !isEscaped: isInText.toggle()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if !isInText, last == UInt8(ascii: ",") { return false }
            default: break
            }
            isEscaped = false
            if !isInText, !" \t\r\n".utf8.contains(byte) { last = byte }
        }
        return true
    }

    /// The members with other names, and a sentence about them; nil if there are none.
    static func unknown(_ members: [String: Any], known: [String]) -> (names: [String], detail: String)? {
        let names = members.keys.filter { !known.contains($0) }.sorted().map { String($0.prefix(80)) }
        guard !names.isEmpty else { return nil }
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        return (names, "\(list) is not known. Known here: \(known.joined(separator: ", ")).")
    }

    /// A finite number; nil for any other value. Foundation represents truth values as numbers too.
    static func number(_ value: Any?) -> Double? {
        guard let number = value as? NSNumber, !number.isTruth, number.doubleValue.isFinite else { return nil }
        return number.doubleValue
    }
}
