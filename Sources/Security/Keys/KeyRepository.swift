/// The storage of the named keys: one document (`KeyDocument`), which is replaced as a whole at every change.
package protocol KeyRepository: Sendable {
    /// The storage's name in messages, such as `the file /data/keys.json`.
    var place: String { get }
    /// The document; nil if none was ever made.
    func read() async throws(KeyError) -> [UInt8]?
    /// Replaces the document by the body's result while nobody else changes it. The body gets nil if there is no
    /// document. Nothing changes if the body throws or returns nil. The body may run twice, the second time on its own
    /// result.
    func change(_ body: @escaping @Sendable ([UInt8]?) throws(KeyError) -> [UInt8]?) async throws(KeyError)
}

extension KeyRepository {
    /// - Throws: ``KeyError`` if the document is missing or not fully understood.
    package func load() async throws(KeyError) -> [AccessKey] {
        try keys(in: try await read())
    }

    /// The keys of a document that was read.
    func keys(in document: [UInt8]?) throws(KeyError) -> [AccessKey] {
        guard let document else { throw .missing(place) }
        return try KeyDocument.keys(in: document, of: place)
    }

    /// Adds a key, also as the first one.
    /// - Returns: the secret, to be shown to its holder once.
    package func add(_ name: String, role: Role) async throws(KeyError) -> String {
        // The name becomes part of an address, /keys/NAME.
        guard !name.utf8.contains(UInt8(ascii: "/")), ![".", ".."].contains(name) else { throw .invalidName(name) }
        let (secret, key) = try AccessKey.make(name: name, role: role)
        try await changeKeys { keys throws(KeyError) in
            guard let other = keys?.first(where: { $0.name == name }) else { return (keys ?? []) + [key] }
            guard other.digest.isEqual(to: key.digest) else { throw .nameTaken(name) }
            return nil
        }
        return secret
    }

    /// Makes one key if there is no document. Of several processes that start at once, only one makes it.
    /// - Returns: the secret; nil if there was a document.
    package func createIfMissing(_ name: String, role: Role) async throws(KeyError) -> String? {
        guard try await read() == nil else { return nil }
        let (secret, key) = try AccessKey.make(name: name, role: role)
        try await changeKeys { keys throws(KeyError) in keys == nil ? [key] : nil }
        return try await load().contains { $0.digest.isEqual(to: key.digest) } ? secret : nil
    }

    /// Replaces a key by a new one of the same name and role. The old one and its sessions end.
    /// - Returns: the new secret.
    package func rotate(_ name: String) async throws(KeyError) -> String {
        let (secret, new) = try AccessKey.make(name: name, role: .reader)
        try await changeKeys { keys throws(KeyError) in
            guard var keys, let index = keys.firstIndex(where: { $0.name == name }) else { throw .unknownName(name) }
            keys[index] = AccessKey(name: name, role: keys[index].role, createdAt: new.createdAt, digest: new.digest)
            return keys
        }
        return secret
    }

    /// Removes a key.
    /// - Parameter keepingAnAdmin: whether to keep the last administrator's key, without which nobody could manage keys
    ///   remotely.
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

/// The reason why the keys cannot be used or changed. It never contains a key.
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
            "\"\(name.prefix(80))\" is not a name for a key: it has to be one line of 1 to 64 characters, "
                + "without “/” and without spaces around it, and neither “.” nor “..”."
        case .nameTaken(let name): "There is a key \"\(name)\" already; `menagerie keys rotate` replaces it."
        case .unknownName(let name): "There is no key \"\(name)\"; `menagerie keys list` shows them."
        case .lastAdmin(let name):
            "\"\(name)\" is the last key of an administrator: make another one first, or remove it on the service's machine."
        case .tooMany:
            "There may be \(KeyDocument.maximumKeys) keys at most, and 1 MiB of them with their names; remove some."
        }
    }
}

extension Role {
    /// All roles, for messages.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
