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

    /// See ``AccessControl/reloadKeys(isNeeded:)``.
    func reload(isNeeded: Bool) async throws(KeyError) -> Bool {
        do throws(KeyError) {
            let document = try await repository.read()
            guard note(.document(document)) || isNeeded else { return false }
            let keys = try repository.keys(in: document)
            state.withLock { $0.keys = keys }
            return true
        } catch {
            if case .unreadable = error { guard note(.failure(error.description)) || isNeeded else { return false } }
            throw error
        }
    }

    /// - Returns: whether the result differs from the last one.
    private func note(_ found: Found) -> Bool {
        state.withLock { exchange(&$0.found, with: found) != found }
    }

    /// The key with that digest. All keys are compared, each in constant time.
    func key(of digest: KeyDigest) -> AccessKey? {
        var found: AccessKey?
        for key in keys where key.digest.isEqual(to: digest) { found = key }
        return found
    }
}
