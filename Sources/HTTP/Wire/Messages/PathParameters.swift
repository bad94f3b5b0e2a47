/// The values of the named segments of a pattern.
package struct PathParameters: Sendable {
    private let names: [String]
    /// The values, in the order of the names.
    private let values: [String]

    /// - Parameter names: the names of the pattern, which are shared rather than copied.
    package init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    /// The decoded segment. For a `{name...}` pattern it is the rest of the path without its leading slash.
    package subscript(_ name: String) -> String? {
        for index in names.indices where names[index] == name { return values[index] }
        return nil
    }
}
