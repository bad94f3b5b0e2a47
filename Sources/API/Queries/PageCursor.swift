import Foundation
import HTTP

/// An opaque position in a list that never changes while the service runs: the number of items before it.
///
/// The cursor includes the kind of list, so that one list refuses a cursor of another.
struct PageCursor {
    let offset: Int

    init(offset: Int) {
        self.offset = offset
    }

    /// Reads a cursor that ``text(for:)`` made for the same list; nil for any other text.
    init?(_ text: String, for list: String) {
        guard let data = Data(base64Encoded: text),
            let plain = String(data: data, encoding: .utf8),
            plain.hasPrefix(list + ":"),
            let offset = Int(plain.dropFirst(list.count + 1)), offset >= 0
        else { return nil }
        self.offset = offset
    }

    func text(for list: String) -> String {
        Data("\(list):\(offset)".utf8).base64EncodedString()
    }
}

extension QueryReader {
    /// The number of items before the page that `cursor` asks for.
    mutating func offset(of list: String) throws -> Int {
        guard let cursor = try text("cursor") else { return 0 }
        guard let place = PageCursor(cursor, for: list) else {
            throw ProblemDetails.invalidParameter(
                "cursor", value: cursor, expected: "the next_cursor of an earlier page")
        }
        return place.offset
    }
}
