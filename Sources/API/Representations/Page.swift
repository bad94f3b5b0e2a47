/// The form of every list.
struct Page<Item: Encodable>: Encodable {
    let items: [Item]
    let total: Int
    /// The cursor of the next page; null on the last page.
    private let cursor: Nullable<String>

    private enum CodingKeys: String, CodingKey {
        case items, total
        case cursor = "nextCursor"
    }

    init(items: [Item], total: Int, nextCursor: String?) {
        self.items = items
        self.total = total
        cursor = Nullable(nextCursor)
    }

    var nextCursor: String? { cursor.value }
}
