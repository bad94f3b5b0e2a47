/// Where the named keys are kept, as one document (`KeyDocument`) that is replaced as a whole whenever it changes.
package protocol KeyRepository: Sendable {
    /// What messages call it, such as `the file /data/keys.json`.
    var place: String { get }
    /// The document; nil where none was ever made.
    func read() async throws(KeyError) -> [UInt8]?
    /// Replaces the document, or nil where there is none, by what the body makes of it, while nobody else changes it.
    /// Nothing changes where the body throws or answers nil. The body may be asked twice, the second time about what it made.
    func change(_ body: @escaping @Sendable ([UInt8]?) throws(KeyError) -> [UInt8]?) async throws(KeyError)
}

extension KeyRepository {
    /// - Throws: ``KeyError`` when there are none or not all of them are understood.
    package func load() async throws(KeyError) -> [AccessKey] {
        guard let document = try await read() else { throw .missing(place) }
        return try KeyDocument.keys(in: document, of: place)
    }

    /// Adds a key, the first one where there is none.
    /// - Returns: the key, which is to be shown to its holder once.
    package func add(_ name: String, role: Role) async throws(KeyError) -> String {
        let (secret, key) = try AccessKey.make(name: name, role: role)
        try await changeKeys { keys throws(KeyError) in
            guard let other = keys?.first(where: { $0.name == name }) else { return (keys ?? []) + [key] }
            guard other.digest.isEqual(to: key.digest) else { throw .nameTaken(name) }
            return nil
        }
        return secret
    }

    /// Makes one key, if none was ever made. Of several processes that start at once, one does.
    /// - Returns: the key; nil where there was a document.
    package func createIfMissing(_ name: String, role: Role) async throws(KeyError) -> String? {
        guard try await read() == nil else { return nil }
        let (secret, key) = try AccessKey.make(name: name, role: role)
        try await changeKeys { keys throws(KeyError) in keys == nil ? [key] : nil }
        return try await load().contains { $0.digest.isEqual(to: key.digest) } ? secret : nil
    }

    /// Replaces a key by a new one of the same name and role: the old one and its sessions end.
    /// - Returns: the new key.
    package func rotate(_ name: String) async throws(KeyError) -> String {
        let (secret, new) = try AccessKey.make(name: name, role: .reader)
        try await changeKeys { keys throws(KeyError) in
            guard var keys, let index = keys.firstIndex(where: { $0.name == name }) else { throw .unknownName(name) }
            keys[index] = AccessKey(name: name, role: keys[index].role, createdAt: new.createdAt, digest: new.digest)
            return keys
        }
        return secret
    }

    /// Takes a key out of force.
    /// - Parameter keepingAnAdmin: whether the last key of an administrator stays: who manages keys from afar would have nobody
    ///   left to do so.
    /// - Throws: `unknownName`, `lastAdmin`.
    package func remove(_ name: String, keepingAnAdmin: Bool = false) async throws(KeyError) {
        try await changeKeys { keys throws(KeyError) in
            guard var keys, let index = keys.firstIndex(where: { $0.name == name }) else { throw .unknownName(name) }
            let removed = keys.remove(at: index)
            if keepingAnAdmin, removed.role == .admin, !keys.contains(where: { $0.role == .admin }) {
                throw .lastAdmin(name)
            }
            return keys
        }
    }

    private func changeKeys(
        _ body: @escaping @Sendable ([AccessKey]?) throws(KeyError) -> [AccessKey]?
    ) async throws(KeyError) {
        try await change { [place] document throws(KeyError) in
            var keys: [AccessKey]?
            if let document { keys = try KeyDocument.keys(in: document, of: place) }
            guard let changed = try body(keys) else { return nil }
            return try KeyDocument.bytes(changed, of: place)
        }
    }
}

/// Why the keys cannot be used or changed. No key ever stands in one.
package enum KeyError: Error, CustomStringConvertible {
    case missing(String)
    case unreadable(String, String)
    case malformed(String, String)
    case unwritable(String, String)
    case invalidName(String)
    case nameTaken(String)
    case unknownName(String)
    case lastAdmin(String)
    case tooMany

    package var description: String {
        switch self {
        case .missing(let place): "There are no keys in \(place)."
        case .unreadable(let place, let reason): "The keys in \(place) cannot be read: \(reason)"
        case .malformed(let place, let reason): "The keys in \(place) are not right: \(reason)."
        case .unwritable(let place, let reason): "The keys in \(place) cannot be written: \(reason)"
        case .invalidName(let name):
            "\"\(name.prefix(80))\" is no name for a key: it has to be one line of 1 to 64 characters."
        case .nameTaken(let name): "There is a key \"\(name)\" already; `menagerie keys rotate` replaces it."
        case .unknownName(let name): "There is no key \"\(name)\"; `menagerie keys list` shows them."
        case .lastAdmin(let name):
            "\"\(name)\" is the last key of an administrator: make another one first, or remove it on the service's machine."
        case .tooMany: "There may be \(KeyDocument.maximumKeys) keys at most; remove some."
        }
    }
}

extension Role {
    /// All of them, for messages.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
