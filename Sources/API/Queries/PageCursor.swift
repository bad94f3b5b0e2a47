import Foundation

/// An opaque place in a list that never changes while the service runs: how many items came before.
///
/// The kind of list is part of it, so that a cursor of one list is refused by another.
struct PageCursor {
    let offset: Int

    init(offset: Int) {
        self.offset = offset
    }

    /// Reads a cursor that ``text(for:)`` made for the same list; nil for anything else.
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
    /// How many items of the list came before the page that `cursor` asks for.
    mutating func offset(of list: String) throws -> Int {
        guard let cursor = try text("cursor") else { return 0 }
        guard let place = PageCursor(cursor, for: list) else {
            throw Problem(.invalidParameter("cursor", value: cursor, expected: "the next_cursor of an earlier page"))
        }
        return place.offset
    }
}
