import Base

/// A model as requests name it: `name` for its active version, or `name@version`.
package struct ModelReference: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    package let version: String?

    package init(name: String, version: String? = nil) {
        self.name = name
        self.version = version
    }

    /// - Throws: ``RecognitionError/unknownModel(_:)`` for an invalid name.
    package init(_ text: String) throws(RecognitionError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.first, Self.isName(name), parts.count == 1 || Self.isVersion(parts[1]) else {
            throw .unknownModel(text)
        }
        self.init(name: name, version: parts.count == 2 ? parts[1] : nil)
    }

    package var description: String { version.map { "\(name)@\($0)" } ?? name }

    /// `[a-z0-9_-]+`.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128
            && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) }
    }

    /// `[A-Za-z0-9._-]+`, not beginning with a full stop.
    package static func isVersion(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && !text.hasPrefix(".")
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
    }

    /// Whether one version comes before another. Numbers compare by value and come before other parts, which compare by
    /// their letters (Semantic Versioning 2.0.0 §11.4).
    package static func isEarlier(_ left: String, _ right: String) -> Bool {
        let (leftParts, rightParts) = (left.split(separator: "."), right.split(separator: "."))
        for (left, right) in zip(leftParts, rightParts) where left != right {
            switch (Int(left), Int(right)) {
            case (let left?, let right?) where left != right: return left < right
            case (_?, nil): return true
            case (nil, _?): return false
            default: return left < right
            }
        }
        return leftParts.count < rightParts.count
    }
}
