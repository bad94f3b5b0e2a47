/// Comma-separated list fields (RFC 9110 §5.6.1). They are changed in place, because every response uses them.
extension HeaderFields {
    /// Whether a line of a field contains an element, without regard to case.
    /// - Parameter element: lower-case text without commas.
    package func lists(_ element: StaticString, in name: String) -> Bool {
        lines.indices.contains { index in
            matches(index, name) && withValue(at: index) { $0.listContains { $0.equals(element) } }
        }
    }

    /// Adds a field name to Vary (RFC 9110 §12.5.5) unless it is there or Vary is `*`.
    package mutating func addVary(_ name: String) {
        var last: Int?
        for index in lines.indices where matches(index, "Vary") {
            let isThere = withValue(at: index) { value in
                value.listContains { $0.equals("*") || $0.elementsEqual(name.utf8, by: Self.isSameLetter) }
            }
            if isThere { return }
            last = index
        }
        if let last {
            extendValue(at: last, with: name)
        } else {
            append(name, for: "Vary")
        }
    }

    private static func isSameLetter(_ left: UInt8, _ right: UInt8) -> Bool {
        ByteClass.lowercased(left) == ByteClass.lowercased(right)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the condition holds for an element of a comma-separated list.
    fileprivate func listContains(_ condition: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var isFound = false
        forEachListElement { if !isFound { isFound = condition($0) } }
        return isFound
    }
}
