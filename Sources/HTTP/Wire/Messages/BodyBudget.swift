import Base

/// A limit, in bytes, for the memory that the bodies of all requests hold together, and for each client's share of it.
///
/// A body counts from the time its bytes come until its request is over. Each client has a share, so that one that
/// sends many large bodies slowly leaves room for the others. A body that does not fit is refused: bodies that waited
/// half-read for room would hold the memory that the others need.
package final class BodyBudget: Sendable {
    private struct State {
        var held = 0
        var byClient: [String: Int] = [:]
    }

    package let limit: Int
    /// The bytes that one client may hold.
    let share: Int
    fileprivate let onRefusal: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: in bytes; at least one body of the largest size always fits.
    ///   - largestBody: in bytes.
    ///   - onRefusal: runs for each refused body, on the thread that reads it.
    package init(limit: Int, largestBody: Int, onRefusal: @escaping @Sendable () -> Void = {}) {
        self.limit = max(limit, largestBody)
        share = max(limit / 2, largestBody)
        self.onRefusal = onRefusal
    }

    package var held: Int { state.withLock { $0.held } }

    /// Begins to count the body of one request.
    ///
    /// - Parameter address: the client's address.
    package func allowance(for address: String) -> BodyAllowance {
        BodyAllowance(of: self, client: NetworkAddress.client(at: address))
    }

    /// - Returns: whether that many more bytes fit.
    fileprivate func hasRoom(_ bytes: Int, for client: String) -> Bool {
        state.withLock { $0.held + bytes <= limit && $0.byClient[client, default: 0] + bytes <= share }
    }

    fileprivate func add(_ bytes: Int, for client: String) {
        state.withLock { state in
            state.held += bytes
            let held = state.byClient[client, default: 0] + bytes
            state.byClient[client] = held == 0 ? nil : held
        }
    }

    fileprivate func take(_ bytes: Int, for client: String) -> Bool {
        let isTaken = state.withLock { state in
            let held = state.byClient[client, default: 0] + bytes
            guard state.held + bytes <= limit, held <= share else { return false }
            state.held += bytes
            state.byClient[client] = held
            return true
        }
        if !isTaken { onRefusal() }
        return isTaken
    }
}

/// The bytes that one request's body holds of a ``BodyBudget``. They are given back when the last copy of the request
/// is gone, however the request ends.
package final class BodyAllowance: Sendable {
    private let budget: BodyBudget
    private let client: String
    private let held = Locked(0)

    fileprivate init(of budget: BodyBudget, client: String) {
        self.budget = budget
        self.client = client
    }

    deinit { budget.add(-held.withLock { $0 }, for: client) }

    /// Counts bytes that somebody keeps.
    ///
    /// - Throws: ``RequestBodyError/noRoom``, and counts nothing then.
    func take(_ bytes: Int) throws(RequestBodyError) {
        guard bytes > 0 else { return }
        guard budget.take(bytes, for: client) else { throw .noRoom }
        held.withLock { $0 += bytes }
    }

    /// Refuses a body that would not fit, before its bytes come.
    ///
    /// - Parameter bytes: the size of the whole body, including bytes that have come.
    func check(_ bytes: Int) throws(RequestBodyError) {
        guard budget.hasRoom(max(0, bytes - held.withLock { $0 }), for: client) else {
            budget.onRefusal()
            throw .noRoom
        }
    }

    /// Counts bytes that have come and wait for their reader, even if they do not fit.
    ///
    /// - Returns: whether more bytes fit.
    func add(_ bytes: Int) -> Bool {
        budget.add(bytes, for: client)
        held.withLock { $0 += bytes }
        return budget.hasRoom(1, for: client)
    }

    /// Stops counting these bytes.
    func give(_ bytes: Int) {
        held.withLock { $0 -= bytes }
        budget.add(-bytes, for: client)
    }
}
