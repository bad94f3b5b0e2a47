import Base

/// The valid keys, read from a repository.
package final class KeyStore: Sendable {
    /// The result of the last reading, usable or not.
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

    /// - Throws: ``KeyError`` if there are no keys or they cannot be read.
    package init(_ repository: any KeyRepository) async throws(KeyError) {
        self.repository = repository
        let document = try await repository.read()
        state = Locked(State(keys: try repository.keys(in: document), found: .document(document)))
    }

    package var keys: [AccessKey] { state.withLock { $0.keys } }

    /// Reads the keys again.
    /// - Throws: ``KeyError`` if they cannot be used. The old keys stay valid then, so an editing mistake or an
    ///   unreachable database neither locks everybody out nor lets anybody in.
    package func reload() async throws(KeyError) { _ = try await reload(always: true) }

    /// Reads the keys again if they have changed since the last reading.
    /// - Returns: whether they have changed.
    /// - Throws: like ``reload()``, but once for each failure.
    package func reloadIfChanged() async throws(KeyError) -> Bool { try await reload(always: false) }

    private func reload(always: Bool) async throws(KeyError) -> Bool {
        do throws(KeyError) {
            let document = try await repository.read()
            guard note(.document(document)) || always else { return false }
            let keys = try repository.keys(in: document)
            state.withLock { $0.keys = keys }
            return true
        } catch {
            if case .unreadable = error { guard note(.failure(error.description)) || always else { return false } }
            throw error
        }
    }

    /// - Returns: whether the result differs from the last one.
    private func note(_ found: Found) -> Bool {
        state.withLock { state in
            defer { state.found = found }
            return state.found != found
        }
    }

    /// The key with that digest. All keys are compared, each in constant time.
    func key(of digest: KeyDigest) -> AccessKey? {
        var found: AccessKey?
        for key in keys where key.digest.isEqual(to: digest) { found = key }
        return found
    }
}
