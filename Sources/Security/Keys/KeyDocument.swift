import Base
import Foundation

/// The stored form of the keys: JSON with the digest of each key.
struct KeyDocument: Codable {
    /// The largest document that is read, in bytes: more than a thousand keys.
    static let maximumBytes = 1 << 20
    /// The largest number of keys, because a request's key is compared with each of them.
    static let maximumKeys = 1000

    private struct Entry: Codable {
        var name: String
        var role: String
        /// The digest of the key, in hexadecimal digits.
        var sha256: String
        var createdAt: String

        private enum CodingKeys: String, CodingKey {
            case name, role, sha256
            case createdAt = "created_at"
        }
    }

    private var keys: [Entry]

    static func bytes(_ keys: [AccessKey], of place: String) throws(KeyError) -> [UInt8] {
        guard keys.count <= maximumKeys else { throw .tooMany }
        let document = KeyDocument(
            keys: keys.map {
                Entry(
                    name: $0.name, role: $0.role.rawValue, sha256: $0.digest.hexadecimal,
                    createdAt: $0.createdAt.rfc3339)
            })
        let bytes: [UInt8]
        do {
            bytes = try JSONStreamEncoder().encode(document) + [UInt8(ascii: "\n")]
        } catch {
            throw .unwritable(place, "\(error)")
        }
        // A larger document could not be read again. A character of a name may have many bytes.
        guard bytes.count <= maximumBytes else { throw .tooMany }
        return bytes
    }

    /// - Parameter place: the origin of the document, for errors.
    /// - Throws: ``KeyError`` if any part is not understood, because skipping a key silently would be a surprise.
    static func keys(in bytes: [UInt8], of place: String) throws(KeyError) -> [AccessKey] {
        guard bytes.count <= maximumBytes else { throw .malformed(place, "there is more than 1 MiB of them") }
        guard let document = try? JSONDecoder().decode(KeyDocument.self, from: Data(bytes)) else {
            throw .malformed(
                place, "this is not JSON of the form {\"keys\": [{\"name\", \"role\", \"sha256\", \"created_at\"}]}")
        }
        var keys: [AccessKey] = []
        for entry in document.keys {
            guard AccessKey.isName(entry.name), !keys.contains(where: { $0.name == entry.name }) else {
                throw .malformed(place, "the name \"\(entry.name)\" is not valid, or two keys have it")
            }
            guard let role = Role(rawValue: entry.role) else {
                throw .malformed(place, "the role of \"\(entry.name)\" is not one of \(Role.list)")
            }
            guard let digest = KeyDigest(hexadecimal: entry.sha256) else {
                throw .malformed(place, "the sha256 of \"\(entry.name)\" is not 64 hexadecimal digits")
            }
            guard let time = Date(rfc3339: entry.createdAt) else {
                throw .malformed(place, "created_at of \"\(entry.name)\" is not an RFC 3339 time")
            }
            keys.append(AccessKey(name: entry.name, role: role, createdAt: time, digest: digest))
        }
        guard keys.count <= maximumKeys else { throw .tooMany }
        return keys
    }
}
