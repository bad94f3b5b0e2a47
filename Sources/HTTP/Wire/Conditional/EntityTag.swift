/// A tag that names one state of a representation (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// The tag without quotes.
    package let opaque: String
    package let isWeak: Bool

    /// - Parameter opaque: without quotes; visible characters other than `"`.
    package init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Reads `"opaque"` or `W/"opaque"`.
    package init?(parsing text: String) {
        var scanner = FieldScanner(text)
        guard let tag = scanner.entityTag(), scanner.isAtEnd else { return nil }
        self = tag
    }

    /// Whether both are strong and equal (§8.8.3.2).
    package func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether both are equal, weak or not (§8.8.3.2).
    package func weaklyMatches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }
}

extension EntityTag: CustomStringConvertible {
    /// The tag as a field value.
    package var description: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }
}

/// The value of If-Match and If-None-Match (RFC 9110 §13.1.1, §13.1.2).
package enum EntityTagList: Hashable, Sendable {
    /// `*`, which matches any current representation.
    case any
    case tags([EntityTag])

    /// Reads the field; nil if it is absent. From a malformed list it keeps the tags before the error. That is safe,
    /// because with fewer tags If-Match fails and If-None-Match passes.
    package init?(_ name: String, in headers: HeaderFields) {
        let values = headers.values(for: name)
        guard !values.isEmpty else { return nil }
        let text = values.joined(separator: ",")
        if text == "*" {
            self = .any
            return
        }
        var scanner = FieldScanner(text)
        var tags: [EntityTag] = []
        var isSeparated = true
        while true {
            scanner.skipBlanks()
            if scanner.take(UInt8(ascii: ",")) {
                isSeparated = true
            } else if isSeparated, let tag = scanner.entityTag() {
                tags.append(tag)
                isSeparated = false
            } else {
                break
            }
        }
        self = .tags(tags)
    }
}

extension FieldScanner {
    fileprivate mutating func entityTag() -> EntityTag? {
        let isWeak = take(UInt8(ascii: "W"))
        if isWeak, !take(UInt8(ascii: "/")) { return nil }
        guard take(UInt8(ascii: "\"")) else { return nil }
        // An etagc is a visible character except the quote, or a byte outside ASCII.
        let opaque = text { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") } ?? ""
        return take(UInt8(ascii: "\"")) ? EntityTag(opaque, isWeak: isWeak) : nil
    }
}
