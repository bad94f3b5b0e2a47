import Base
import Foundation
import Testing

@testable import Security

@Suite struct SessionTokenTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let key: AccessKey
    private let other: AccessKey

    init() throws {
        key = try AccessKey.make(name: "a", role: .user).key
        other = try AccessKey.make(name: "b", role: .admin).key
    }

    private func read(_ text: String, _ keys: [AccessKey], at time: Date? = nil) -> SessionToken? {
        SessionToken(text, keys: keys, now: time ?? now)
    }

    @Test func itTellsItsKeyUntilItIsOver() throws {
        let token = SessionToken(key: key, expires: now + 60.7)
        let found = try #require(read(token.text, [other, key]))
        #expect(found.key.name == "a" && found.expires == now + 60 && found.number == token.number)
        #expect(read(token.text, [key], at: now + 59) != nil)
        #expect(read(token.text, [key], at: now + 60) == nil)
    }

    @Test func itEndsWithItsKey() {
        let token = SessionToken(key: key, expires: now + 60).text
        #expect(read(token, [other]) == nil)
        #expect(read(token, []) == nil)
    }

    @Test func notOneBitOfItCanBeChanged() throws {
        let token = SessionToken(key: key, expires: now + 60).text
        let bytes = try #require(Base64URL.decode(token))
        for index in bytes.indices {
            for bit in 0..<8 {
                var forged = bytes
                forged[index] ^= 1 << bit
                #expect(read(Base64URL.encode(forged), [key, other]) == nil, "bit \(bit) of byte \(index)")
            }
        }
        for text in [
            "", "x", String(token.dropLast()), token + "A", token + "=", String(repeating: "A", count: token.count),
        ] {
            #expect(read(text, [key]) == nil, "\(text)")
        }
    }

    @Test func theKeyOfAnotherCannotBeClaimed() throws {
        // The holder of a key knows its digest. The holder can sign tokens for that key, but not for others.
        var bytes = try #require(Base64URL.decode(SessionToken(key: key, expires: now + 60).text))
        bytes.replaceSubrange(
            1..<9, with: withUnsafeBytes(of: other.digest.identifier.bigEndian) { Array($0) })
        #expect(read(Base64URL.encode(bytes), [key, other]) == nil)
    }

    @Test func twoSessionsOfAKeyAreNotTheSame() {
        #expect(SessionToken(key: key, expires: now + 60).text != SessionToken(key: key, expires: now + 60).text)
    }
}
