/// The form of every list.
struct Page<Item: Encodable>: Encodable {
    let items: [Item]
    let total: Int
    /// The cursor of the next page; null on the last page.
    let nextCursor: Nullable<String>

    init(items: [Item], total: Int, nextCursor: String?) {
        (self.items, self.total) = (items, total)
        self.nextCursor = Nullable(nextCursor)
    }
}

extension Page {
    /// A page of a list that is in memory as a whole.
    ///
    /// - Parameters:
    ///   - offset: the number of items before the page.
    ///   - list: the name of the list, for ``PageCursor``.
    init<Element>(
        of all: [Element], from offset: Int, limit: Int, list: String, _ represent: (Element) throws -> Item
    ) rethrows {
        let items = try all.dropFirst(offset).prefix(limit).map(represent)
        let end = offset + items.count
        let next = end < all.count && !items.isEmpty ? PageCursor(offset: end).text(for: list) : nil
        self.init(items: items, total: all.count, nextCursor: next)
    }
}
