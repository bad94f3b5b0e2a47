import Base

/// The parameters of a query component, percent-decoded, in order.
package struct QueryParameters: Sendable {
    package let items: [(name: String, value: String)]

    package init(items: [(name: String, value: String)] = []) {
        self.items = items
    }

    /// Reads `a=1&b=2`. "+" is a space, and a name without "=" has an empty value. A text with a malformed escape stays
    /// as it is (the request parser refuses such a target earlier).
    package init(parsing query: Substring.UTF8View) {
        items = query.split(separator: UInt8(ascii: "&")).map { part in
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = equals < part.endIndex ? part[part.index(after: equals)...] : part[part.endIndex...]
            return (Self.decode(part[..<equals]), Self.decode(value))
        }
    }

    /// The first value of that name.
    package subscript(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The values of all items of that name, in order.
    package func values(for name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    private static func decode(_ text: Substring.UTF8View) -> String {
        PercentCoding.decode(text, plusIsSpace: true) ?? String(Substring(text))
    }
}
