import Base
import Glibc
import HTTP

/// Who makes requests, for counting them.
enum Client: Hashable, Sendable {
    /// The holder of the key of that name.
    case key(String)
    /// An IPv4 address, or the first 64 bits of an IPv6 one, of which every host has as many as it likes; empty for all
    /// clients of a Unix socket.
    case address(String)

    init(address: String) {
        // Only IPv6 has a colon: the usual address is taken as it stands.
        guard address.utf8.contains(UInt8(ascii: ":")), let network = NetworkAddress(address)?.network64 else {
            self = .address(address)
            return
        }
        self = .address(network)
    }
}

/// Allows each client so many requests a minute, all at once if it likes, by the generic cell rate algorithm (ITU-T I.371):
/// for each it keeps the time when its allowance will be whole again, and nothing once that has passed.
final class RateLimiter: Sendable {
    /// In nanoseconds.
    private static let window: UInt64 = 60_000_000_000

    private struct State {
        /// When each client's allowance is whole again, in nanoseconds of the clock.
        var whole: [Client: UInt64] = [:]
        /// Of all clients for which there was no place.
        var others: UInt64 = 0
        var sweptAt: UInt64 = 0
    }

    /// Requests a minute.
    let limit: Int
    /// What one request costs, in nanoseconds.
    private let cost: UInt64
    /// Clients that are told apart at a time. Any more share one allowance: an attacker with many addresses fills the
    /// table, not the memory.
    private let capacity: Int
    private let now: @Sendable () -> UInt64
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: at least 1.
    ///   - now: nanoseconds of a clock that never goes back.
    init(limit: Int, capacity: Int = 16_384, now: @escaping @Sendable () -> UInt64 = RateLimiter.monotonicTime) {
        self.limit = max(1, limit)
        cost = max(1, Self.window / UInt64(max(1, limit)))
        self.capacity = capacity
        self.now = now
    }

    /// Counts a request.
    /// - Returns: nil when it is allowed, otherwise the seconds after which the next one is.
    func take(_ client: Client) -> Int? { look(client, takes: true) }

    /// As ``take(_:)``, without counting anything.
    func wait(for client: Client) -> Int? { look(client, takes: false) }

    private func look(_ client: Client, takes: Bool) -> Int? {
        let now = now()
        return state.withLock { state in
            let known = state.whole[client]
            if known == nil, takes, state.whole.count >= capacity { sweep(&state, now) }
            let isShared = known == nil && state.whole.count >= capacity
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

    /// Forgets the clients whose allowance is whole. Not more than ten times a second, for it looks at all of them.
    private func sweep(_ state: inout State, _ now: UInt64) {
        guard now >= state.sweptAt + 100_000_000 else { return }
        state.sweptAt = now
        state.whole = state.whole.filter { $0.value > now }
    }

    /// Clients that are kept at the moment.
    var count: Int { state.withLock { $0.whole.count } }

    static let monotonicTime: @Sendable () -> UInt64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
