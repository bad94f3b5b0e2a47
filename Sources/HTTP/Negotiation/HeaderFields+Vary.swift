extension HeaderFields {
    /// Adds a field name to Vary (RFC 9110 §12.5.5) unless it is there or Vary is `*`.
    package mutating func addVary(_ name: String) {
        let present = values(for: "Vary")
        let names = present.flatMap { $0.split(separator: ",") }.map { $0.filter { $0 != " " }.lowercased() }
        if names.contains("*") || names.contains(name.lowercased()) { return }
        self["Vary"] = (present + [name]).joined(separator: ", ")
    }
}
