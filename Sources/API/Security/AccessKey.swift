package import Foundation

/// A named key as the service knows it: what it is called and may do, and the digest by which it is recognised.
package struct AccessKey: Sendable {
    /// Begins every key, so that programs that look for lost secrets recognise one.
    static let prefix = "menagerie_"

    package let name: String
    package let role: Role
    package let createdAt: Date
    let digest: KeyDigest

    /// Makes a key of 256 random bits.
    /// - Returns: the key as its holder sends it, which is kept nowhere, and what is to be kept.
    /// - Throws: ``KeyError`` for a name that is empty, longer than 64 characters or no plain line of text.
    static func make(name: String, role: Role, now: Date = Date()) throws(KeyError) -> (
        secret: String, key: AccessKey
    ) {
        guard isName(name) else { throw .invalidName(name) }
        // The system's generator is getrandom(2) on Linux.
        var generator = SystemRandomNumberGenerator()
        var secret = prefix + Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        let digest = secret.withUTF8 { KeyDigest(of: UnsafeRawBufferPointer($0)) }
        return (secret, AccessKey(name: name, role: role, createdAt: now, digest: digest))
    }

    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.count) && name.trimmingCharacters(in: .whitespaces) == name
            && !name.unicodeScalars.contains { CharacterSet.controlCharacters.union(.newlines).contains($0) }
    }
}
