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
        var tags = EntityTagList.Scanner(text)
        guard let tag = tags.tag(), tags.isAtEnd else { return nil }
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
        var scanner = Scanner(text)
        var tags: [EntityTag] = []
        while scanner.skipToElement(), let tag = scanner.tag() { tags.append(tag) }
        self = .tags(tags)
    }

    struct Scanner {
        private let bytes: [UInt8]
        private var index = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        var isAtEnd: Bool { index == bytes.count }

        /// Skips blanks and commas. The result is false at the end, and if no comma separates two elements.
        mutating func skipToElement() -> Bool {
            let start = index
            var hasComma = start == 0
            while index < bytes.count, ByteClass.isBlank(bytes[index]) || bytes[index] == UInt8(ascii: ",") {
                if bytes[index] == UInt8(ascii: ",") { hasComma = true }
                index += 1
            }
            return hasComma && !isAtEnd
        }

        mutating func tag() -> EntityTag? {
            let isWeak = bytes[index...].starts(with: "W/".utf8)
            let start = index + (isWeak ? 3 : 1)
            guard start <= bytes.count, bytes[start - 1] == UInt8(ascii: "\"") else { return nil }
            var end = start
            // An etagc is a visible character except the quote, or a byte outside ASCII.
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
                guard bytes[end] > 0x20, bytes[end] != 0x7F else { return nil }
                end += 1
            }
            guard end < bytes.count else { return nil }
            index = end + 1
            return EntityTag(String(decoding: bytes[start..<end], as: UTF8.self), isWeak: isWeak)
        }
    }
}
