/// The form in which every list is answered.
struct Page<Item: Encodable>: Encodable {
    let items: [Item]
    let total: Int
    /// Null: this page is the last.
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
