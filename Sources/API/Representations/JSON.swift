import Base
import Foundation
import JSONStream

/// The JSON of the interface: snake_case keys, RFC 3339 times in UTC with milliseconds.
enum JSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSONStreamEncoder(keys: .snakeCase, date: \.rfc3339).encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(bytes))
    }
}
