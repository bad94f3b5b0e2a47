import Base
import Foundation
import Glibc
import History

/// The file of the named keys: JSON that its owner only can read, replaced as a whole whenever it changes.
package struct KeyFile: Sendable {
    /// Largest file that is read, in bytes: more than a thousand keys.
    private static let maximumBytes = 1 << 20
    /// A request's key is compared with each of them.
    static let maximumKeys = 1000

    package let path: String

    package init(path: String) {
        self.path = path
    }

    package var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Whether others than its owner may read it.
    package var isReadableByOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    private struct Document: Codable {
        struct Entry: Codable {
            var name: String
            var role: String
            /// Of the key, in hexadecimal digits.
            var sha256: String
            var createdAt: String
        }

        var keys: [Entry]
    }

    /// - Throws: ``KeyFileError`` when there is no such file or not everything in it is understood: a key that is passed
    ///   over would be a surprise either way.
    package func load() throws(KeyFileError) -> [AccessKey] {
        let document: Document
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            let bytes = try handle.read(upToCount: Self.maximumBytes + 1) ?? Data()
            guard bytes.count <= Self.maximumBytes else {
                throw KeyFileError.malformed(path, "it is larger than 1 MiB")
            }
            document = try JSON.decode(Document.self, from: [UInt8](bytes))
        } catch let error as KeyFileError {
            throw error
        } catch is DecodingError {
            throw .malformed(
                path, "it is no JSON of the form {\"keys\": [{\"name\", \"role\", \"sha256\", \"created_at\"}]}")
        } catch {
            throw .unreadable(path, error.localizedDescription)
        }
        var keys: [AccessKey] = []
        for entry in document.keys {
            guard AccessKey.isName(entry.name), !keys.contains(where: { $0.name == entry.name }) else {
                throw .malformed(path, "the name \"\(entry.name)\" is none or stands twice")
            }
            guard let role = Role(rawValue: entry.role) else {
                throw .malformed(path, "the role of \"\(entry.name)\" is none of \(Role.list)")
            }
            guard let digest = KeyDigest(hexadecimal: entry.sha256) else {
                throw .malformed(path, "the sha256 of \"\(entry.name)\" is not 64 hexadecimal digits")
            }
            guard let time = Date(rfc3339: entry.createdAt) else {
                throw .malformed(path, "created_at of \"\(entry.name)\" is no RFC 3339 time")
            }
            keys.append(AccessKey(name: entry.name, role: role, createdAt: time, digest: digest))
        }
        guard keys.count <= Self.maximumKeys else { throw .tooMany }
        return keys
    }

    /// Adds a key and makes the file where there is none.
    /// - Returns: the key, which is to be shown to its holder once.
    package func add(_ name: String, role: Role) throws(KeyFileError) -> String {
        try change { keys throws(KeyFileError) in
            guard !keys.contains(where: { $0.name == name }) else { throw .nameTaken(name) }
            let (secret, key) = try AccessKey.make(name: name, role: role)
            keys.append(key)
            return secret
        }
    }

    /// Makes the file with one key, if there is no file yet. Of several processes that start at once, one does.
    /// - Returns: the key; nil where there was a file.
    package func createIfMissing(_ name: String, role: Role) throws(KeyFileError) -> String? {
        if exists { return nil }
        return try change { keys throws(KeyFileError) in
            if exists { return nil }
            let (secret, key) = try AccessKey.make(name: name, role: role)
            keys = [key]
            return secret
        }
    }

    /// Replaces a key by a new one of the same name and role: the old one and its sessions end.
    /// - Returns: the new key.
    package func rotate(_ name: String) throws(KeyFileError) -> String {
        try change { keys throws(KeyFileError) in
            guard let index = keys.firstIndex(where: { $0.name == name }) else { throw .unknownName(name) }
            let (secret, key) = try AccessKey.make(name: name, role: keys[index].role)
            keys[index] = key
            return secret
        }
    }

    package func remove(_ name: String) throws(KeyFileError) {
        try change { keys throws(KeyFileError) in
            guard let index = keys.firstIndex(where: { $0.name == name }) else { throw .unknownName(name) }
            keys.remove(at: index)
        }
    }

    /// Reads, changes and writes the keys while no other process does; nothing is written when the change throws.
    private func change<Result>(
        _ body: (inout [AccessKey]) throws(KeyFileError) -> Result
    ) throws(KeyFileError) -> Result {
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(path, error.localizedDescription)
        }
        // The folder is locked, for the file itself is replaced.
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw .unwritable(path, String(cString: strerror(errno))) }
        defer { close(lock) }
        var keys = exists ? try load() : []
        let count = keys.count
        let result = try body(&keys)
        guard keys.count <= Self.maximumKeys else { throw .tooMany }
        if count == keys.count, count == 0 { return result }
        try write(keys)
        return result
    }

    private func write(_ keys: [AccessKey]) throws(KeyFileError) {
        let document = Document(
            keys: keys.map {
                Document.Entry(
                    name: $0.name, role: $0.role.rawValue, sha256: $0.digest.hexadecimal,
                    createdAt: $0.createdAt.rfc3339)
            })
        do {
            try DurableFile.replace(path, with: try JSON.encode(document) + [UInt8(ascii: "\n")])
        } catch {
            throw .unwritable(path, "\(error)")
        }
    }
}

/// Why the file of the keys cannot be used. No key ever stands in one.
package enum KeyFileError: Error, CustomStringConvertible {
    case unreadable(String, String)
    case malformed(String, String)
    case unwritable(String, String)
    case invalidName(String)
    case nameTaken(String)
    case unknownName(String)
    case tooMany

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "The file of keys \(path) cannot be read: \(reason)"
        case .malformed(let path, let reason): "The file of keys \(path) is not right: \(reason)."
        case .unwritable(let path, let reason): "The file of keys \(path) cannot be written: \(reason)"
        case .invalidName(let name):
            "\"\(name.prefix(80))\" is no name for a key: it has to be one line of 1 to 64 characters."
        case .nameTaken(let name): "There is a key \"\(name)\" already; `menagerie keys rotate` replaces it."
        case .unknownName(let name): "There is no key \"\(name)\"; `menagerie keys list` shows them."
        case .tooMany: "There may be \(KeyFile.maximumKeys) keys at most; remove some."
        }
    }
}

extension Role {
    /// All of them, for messages.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
