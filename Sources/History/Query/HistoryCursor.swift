internal import Base
internal import Foundation

/// The end of a page: the time and id of its last scan. Scans saved or deleted meanwhile neither repeat nor hide
/// others.
struct HistoryCursor: Hashable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970.
    var createdAt: Int64
    var id: ULID

    init(_ scan: Scan) {
        createdAt = scan.createdAt.milliseconds
        id = scan.id
    }

    /// Reads the text that `description` wrote. Nil for any other text.
    init?(_ text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "1", let createdAt = Int64(parts[1]), let id = ULID(String(parts[2])) else {
            return nil
        }
        self.createdAt = createdAt
        self.id = id
    }

    /// Base 64 for URLs (RFC 4648 §5), without padding.
    var description: String {
        Data("1.\(createdAt).\(id)".utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
