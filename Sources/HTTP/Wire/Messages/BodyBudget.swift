import Base

/// The memory that the bodies of all requests may take together, in bytes, and how much of it each client has.
///
/// A body counts from the moment that its bytes come until its request is over. A client gets no more than a share, so that
/// one who sends many large bodies slowly leaves room for the others. A body that does not fit is refused: bodies that
/// waited half-read for room would hold what the others wait for.
package final class BodyBudget: Sendable {
    private struct State {
        var held = 0
        var byClient: [String: Int] = [:]
    }

    package let limit: Int
    /// What one client may hold.
    let share: Int
    private let onRefusal: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: in bytes; at least one body of the largest size always fits.
    ///   - largestBody: in bytes.
    ///   - onRefusal: called for each body that is refused, on the thread that reads it.
    package init(limit: Int, largestBody: Int, onRefusal: @escaping @Sendable () -> Void = {}) {
        self.limit = max(limit, largestBody)
        share = max(limit / 2, largestBody)
        self.onRefusal = onRefusal
    }

    /// Bytes that are held now.
    package var held: Int { state.withLock { $0.held } }

    /// What the body of one request will hold.
    ///
    /// - Parameter address: of the client. The first 64 bits of an IPv6 address stand for all of its network.
    package func allowance(for address: String) -> BodyAllowance {
        let isLong = address.utf8.contains(UInt8(ascii: ":"))
        return BodyAllowance(of: self, client: isLong ? NetworkAddress(address)?.network64 ?? address : address)
    }

    /// - Returns: whether there is room for so many bytes more.
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

    fileprivate func refuse() { onRefusal() }
}

/// What the body of one request holds of a ``BodyBudget``. Everything is given back when the last copy of the request has
/// gone, however it ends.
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
    /// - Throws: ``RequestBodyError/noRoom``; nothing is then counted.
    func take(_ bytes: Int) throws(RequestBodyError) {
        guard bytes > 0 else { return }
        guard budget.take(bytes, for: client) else { throw .noRoom }
        held.withLock { $0 += bytes }
    }

    /// Refuses now what could not be taken as it comes.
    ///
    /// - Parameter bytes: of the whole body, some of which may have come.
    func check(_ bytes: Int) throws(RequestBodyError) {
        guard budget.hasRoom(max(0, bytes - held.withLock { $0 }), for: client) else {
            budget.refuse()
            throw .noRoom
        }
    }

    /// Counts bytes that have come and wait for their reader, whether there is room or not.
    ///
    /// - Returns: whether there is room for more.
    func add(_ bytes: Int) -> Bool {
        budget.add(bytes, for: client)
        held.withLock { $0 += bytes }
        return budget.hasRoom(1, for: client)
    }

    /// Counts bytes no more.
    func give(_ bytes: Int) {
        held.withLock { $0 -= bytes }
        budget.add(-bytes, for: client)
    }
}
