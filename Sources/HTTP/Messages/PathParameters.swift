/// What the router found for the named segments of a pattern.
package struct PathParameters: Sendable {
    private(set) var items: [(name: String, value: String)]

    package init(_ items: [(name: String, value: String)] = []) {
        self.items = items
    }

    /// The decoded segment; for a `{name...}` pattern the rest of the path without its leading slash.
    package subscript(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }
}
