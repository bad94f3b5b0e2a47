import Foundation
import JSONStream

/// JSON as the interface writes and reads it: snake_case keys, RFC 3339 times in UTC with milliseconds.
enum JSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSONStreamEncoder(keys: .snakeCase, date: { $0.formatted(timeFormat) }).encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(bytes))
    }

    /// Reads an RFC 3339 time with or without fractions of a second, in any offset.
    static func time(_ text: String) -> Date? {
        (try? Date(text, strategy: timeFormat))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: false, timeZone: .gmt)))
    }

    /// `2026-03-01T12:00:00.000Z` (RFC 3339).
    static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
}
