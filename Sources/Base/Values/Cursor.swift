internal import Foundation

/// The end of a page, from which the next page goes on. To clients its text is opaque.
package struct Cursor: Hashable, Sendable, CustomStringConvertible {
    /// The name of the list, so that one list refuses a cursor of another.
    package let list: String
    /// In lists that never change, the number of items before the next page. In lists by time, the last item's time in
    /// milliseconds since 1970. At least 0.
    package let number: Int64
    /// The last item; empty in lists that never change.
    package let id: String

    package init(_ list: String, number: Int64 = 0, id: String = "") {
        (self.list, self.number, self.id) = (list, max(0, number), id)
    }

    /// Reads a text that `description` wrote; nil for any other text.
    package init?(_ text: String) {
        let plain = Base64URL.decode(text).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        let parts = plain.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        // PostgreSQL takes no text with NUL.
        guard parts.count == 3, let number = Int64(parts[1]), number >= 0, !plain.utf8.contains(0) else { return nil }
        (list, self.number, id) = (String(parts[0]), number, String(parts[2]))
    }

    package var description: String { Base64URL.encode(Array("\(list):\(number):\(id)".utf8)) }
}

/// Base 64 with the alphabet that needs no escapes in addresses and cookies, without padding (RFC 4648 §5).
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    package static func decode(_ text: String) -> [UInt8]? {
        guard !text.contains(where: { $0 == "+" || $0 == "/" || $0 == "=" }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding).map {
            [UInt8]($0)
        }
    }
}
