import Base
package import Foundation

/// A named key as the service stores it: its name, its role, and the digest that recognises it.
package struct AccessKey: Sendable {
    /// The prefix of every key, by which scanners for leaked secrets recognise one.
    static let prefix = "menagerie_"

    package let name: String
    package let role: Role
    package let createdAt: Date
    let digest: KeyDigest

    /// Makes a key of 256 random bits.
    /// - Returns: the secret for its holder, which is stored nowhere, and the key to store.
    /// - Throws: ``KeyError`` for a name that is empty, longer than 64 characters or not one plain line.
    static func make(name: String, role: Role) throws(KeyError) -> (secret: String, key: AccessKey) {
        guard isName(name) else { throw .invalidName(name) }
        // On Linux the system's generator is getrandom(2).
        var generator = SystemRandomNumberGenerator()
        var secret = prefix + Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        let digest = secret.withUTF8 { KeyDigest(of: UnsafeRawBufferPointer($0)) }
        return (secret, AccessKey(name: name, role: role, createdAt: Date(), digest: digest))
    }

    /// A text in which each key, also one that lost its end, stops behind the prefix.
    package static func concealed(in text: String) -> String {
        // Names of models begin like keys, but are shorter.
        let length = 32
        guard text.utf8.count > prefix.utf8.count + length, text.utf8.contains(UInt8(ascii: "_")) else { return text }
        let parts = text.components(separatedBy: prefix)
        return parts.dropFirst().reduce(parts[0]) { result, part in
            let rest = part.drop { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            return result + prefix + (part.utf8.count - rest.utf8.count < length ? part : "…" + rest)
        }
    }

    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.count) && name.trimmingCharacters(in: .whitespaces.union(.joiners)) == name
            && !name.unicodeScalars.contains { CharacterSet.steering.contains($0) }
    }
}

/// The rights of a key's holder. Each role includes those before it.
package enum Role: String, Codable, CaseIterable, Comparable, Sendable {
    /// May do everything that changes nothing.
    case reader
    /// May also make scans, change the history, favourites and other personal data.
    case user
    /// May also change models, settings and keys, read metrics, import, and delete everything.
    case admin

    package static func < (left: Role, right: Role) -> Bool {
        switch (left, right) {
        case (.reader, .user), (.reader, .admin), (.user, .admin): true
        default: false
        }
    }
}
