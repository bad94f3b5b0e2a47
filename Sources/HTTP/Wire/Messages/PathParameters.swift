/// What the router found for the named segments of a pattern.
package struct PathParameters: Sendable {
    private let names: [String]
    /// One for each name, in the same order.
    private let values: [String]

    package init(_ items: [(name: String, value: String)] = []) {
        names = items.map(\.name)
        values = items.map(\.value)
    }

    /// - Parameter names: those of the pattern, which are shared rather than copied.
    package init(names: [String], values: [String]) {
        self.names = names
        self.values = values
    }

    /// The decoded segment; for a `{name...}` pattern the rest of the path without its leading slash.
    package subscript(_ name: String) -> String? {
        for index in names.indices where names[index] == name { return values[index] }
        return nil
    }
}
