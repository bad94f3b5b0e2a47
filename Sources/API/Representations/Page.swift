import Base

/// The form of every list.
struct Page<Item: Encodable>: Encodable {
    let items: [Item]
    let total: Int
    /// The cursor of the next page; null on the last page.
    let nextCursor: Nullable<String>

    init(items: [Item], total: Int, next: Cursor? = nil) {
        (self.items, self.total) = (items, total)
        nextCursor = Nullable(next?.description)
    }

    /// A page of a list whose entries come and go.
    ///
    /// - Parameters:
    ///   - rest: the entries from this page on, at least one more than the limit if there are more.
    ///   - cursor: the position of an entry.
    init<Element>(
        of rest: some Collection<Element>, limit: Int, total: Int, cursor: (Element) -> Cursor,
        _ represent: (Element) throws -> Item
    ) rethrows {
        let entries = Array(rest.prefix(limit))
        self.init(
            items: try entries.map(represent), total: total,
            next: rest.count > entries.count ? entries.last.map(cursor) : nil)
    }

    /// A page of a list that never changes while the service runs, and is in memory as a whole.
    ///
    /// - Parameters:
    ///   - offset: the number of items before the page.
    ///   - list: the name of the list.
    init<Element>(
        of all: [Element], from offset: Int, limit: Int, list: String, _ represent: (Element) throws -> Item
    ) rethrows {
        let items = try all.dropFirst(offset).prefix(limit).map(represent)
        let end = offset + items.count
        self.init(
            items: items, total: all.count,
            next: end < all.count && !items.isEmpty ? Cursor(list, number: Int64(end)) : nil)
    }
}

/// A member that is written as null without a value. null is an answer; an absent member says nothing.
struct Nullable<Value: Encodable>: Encodable {
    let value: Value?

    init(_ value: Value?) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}

extension Nullable: Sendable where Value: Sendable {}
