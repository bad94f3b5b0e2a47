import Base

/// The keys in force, and where they come from.
package final class KeyStore: Sendable {
    /// What was there when the keys were last looked at, whether it could be used or not.
    private enum Found: Equatable {
        case document([UInt8]?)
        case failure(String)
    }

    private struct State {
        var keys: [AccessKey]
        var found: Found
    }

    package let repository: any KeyRepository
    private let state: Locked<State>

    /// - Throws: ``KeyError`` when there are no keys or they cannot be read.
    package init(_ repository: any KeyRepository) async throws(KeyError) {
        self.repository = repository
        let document = try await repository.read()
        state = Locked(State(keys: try Self.keys(in: document, of: repository), found: .document(document)))
    }

    package var keys: [AccessKey] { state.withLock { $0.keys } }

    /// Reads the keys again.
    /// - Throws: ``KeyError`` when they cannot be used; then the keys before stay in force, so that a slip of an editor
    ///   or a database that is away neither locks everybody out nor lets anybody in.
    package func reload() async throws(KeyError) { _ = try await reload(always: true) }

    /// Reads the keys again where others are there than when they were last looked at.
    /// - Returns: whether that was so.
    /// - Throws: as ``reload()``, once for each thing that is wrong.
    package func reloadIfChanged() async throws(KeyError) -> Bool { try await reload(always: false) }

    private func reload(always: Bool) async throws(KeyError) -> Bool {
        do throws(KeyError) {
            let document = try await repository.read()
            guard note(.document(document)) || always else { return false }
            let keys = try Self.keys(in: document, of: repository)
            state.withLock { $0.keys = keys }
            return true
        } catch {
            if case .unreadable = error { guard note(.failure(error.description)) || always else { return false } }
            throw error
        }
    }

    /// - Returns: whether it is another one than the last.
    private func note(_ found: Found) -> Bool {
        state.withLock { state in
            defer { state.found = found }
            return state.found != found
        }
    }

    private static func keys(
        in document: [UInt8]?, of repository: any KeyRepository
    ) throws(KeyError) -> [AccessKey] {
        guard let document else { throw .missing(repository.place) }
        return try KeyDocument.keys(in: document, of: repository.place)
    }

    /// The key of that digest. It is compared with every key, each in the same time.
    func key(of digest: KeyDigest) -> AccessKey? {
        var found: AccessKey?
        for key in keys where key.digest.isEqual(to: digest) { found = key }
        return found
    }
}
