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
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        let plain = Data(base64Encoded: padded).flatMap { String(data: $0, encoding: .utf8) } ?? ""
        let parts = plain.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        // PostgreSQL takes no text with NUL.
        guard parts.count == 3, let number = Int64(parts[1]), number >= 0, !plain.utf8.contains(0) else { return nil }
        (list, self.number, id) = (String(parts[0]), number, String(parts[2]))
    }

    /// Base 64 for URLs (RFC 4648 §5), without padding.
    package var description: String {
        Data("\(list):\(number):\(id)".utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
