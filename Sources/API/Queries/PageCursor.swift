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

/// The form in which every list is answered.
struct Page<Item: Encodable>: Encodable {
    let items: [Item]
    let total: Int
    let nextCursor: String?

    enum CodingKeys: CodingKey {
        case items, total, nextCursor
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        try container.encode(total, forKey: .total)
        // Written even when it is null: the last page says so.
        try container.encode(nextCursor, forKey: .nextCursor)
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
