import Base

/// A sender of requests, for counting them.
enum Client: Hashable, Sendable {
    /// The holder of the key with that name.
    case key(String)
    /// The result of `NetworkAddress.client(at:)`. It is empty for all clients of a Unix socket.
    case address(String)

    init(address: String) { self = .address(NetworkAddress.client(at: address)) }

    var hasKey: Bool { if case .key = self { true } else { false } }
}

/// Allows each client a number of requests per minute, in any rhythm, by the generic cell rate algorithm (ITU-T I.371).
/// For each client it stores the time when the allowance will be whole again, and nothing after that.
final class RateLimiter: Sendable {
    /// The window in nanoseconds.
    private static let window: UInt64 = 60_000_000_000

    private struct State {
        /// The time when each client's allowance is whole again, in nanoseconds of the clock.
        var whole: [Client: UInt64] = [:]
        /// The same for all clients together that are not in the table.
        var others: UInt64 = 0
        var sweptAt: UInt64 = 0
    }

    /// The allowed requests per minute.
    let limit: Int
    /// The cost of one request, in nanoseconds.
    private let cost: UInt64
    /// The number of clients in the table. Further addresses share one allowance, so that an attacker with many of them
    /// fills the table but not the memory. The holders of keys are few, and always have their own.
    private let capacity: Int
    private let now: @Sendable () -> UInt64
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: at least 1.
    ///   - now: nanoseconds of a clock that never goes back.
    init(limit: Int, capacity: Int = 16_384, now: @escaping @Sendable () -> UInt64 = { KernelClock.monotonic }) {
        self.limit = max(1, limit)
        cost = max(1, Self.window / UInt64(max(1, limit)))
        self.capacity = capacity
        self.now = now
    }

    /// Counts a request.
    /// - Returns: nil if it is allowed, otherwise the seconds until the next one is.
    func take(_ client: Client) -> Int? { look(client, takes: true) }

    /// Like ``take(_:)``, without counting.
    func wait(for client: Client) -> Int? { look(client, takes: false) }

    private func look(_ client: Client, takes: Bool) -> Int? {
        let now = now()
        return state.withLock { state in
            let known = state.whole[client]
            if known == nil, takes, state.whole.count >= capacity { sweep(&state, now) }
            let isShared = known == nil && state.whole.count >= capacity && !client.hasKey
            let whole = max(isShared ? state.others : known ?? 0, now)
            let allowance = Self.window - cost
            guard whole - now <= allowance else {
                return Int((whole - now - allowance + 999_999_999) / 1_000_000_000)
            }
            guard takes else { return nil }
            if isShared { state.others = whole + cost } else { state.whole[client] = whole + cost }
            return nil
        }
    }

    /// Removes clients whose allowance is whole. It runs at most ten times a second, because it visits all of them.
    private func sweep(_ state: inout State, _ now: UInt64) {
        guard now >= state.sweptAt + 100_000_000 else { return }
        state.sweptAt = now
        state.whole = state.whole.filter { $0.value > now }
    }

    /// The number of clients in the table.
    var count: Int { state.withLock { $0.whole.count } }
}
