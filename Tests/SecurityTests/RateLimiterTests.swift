import Base
import Testing

@testable import Security

/// A clock that only the test advances.
private final class Clock: Sendable {
    private let time = Locked<UInt64>(1_000_000_000)
    var now: UInt64 { time.withLock { $0 } }
    func pass(seconds: Double) { time.withLock { $0 += UInt64(seconds * 1e9) } }
}

@Suite struct RateLimiterTests {
    private let clock = Clock()

    private func limiter(_ limit: Int, capacity: Int = 100) -> RateLimiter {
        RateLimiter(limit: limit, capacity: capacity, now: { [clock] in clock.now })
    }

    @Test func aMinutesAllowanceMayBeUsedAtOnceAndComesBackBitByBit() {
        let limiter = limiter(60)
        let client = Client(address: "192.0.2.1")
        for _ in 0..<60 { #expect(limiter.take(client) == nil) }
        #expect(limiter.take(client) == 1)
        #expect(limiter.wait(for: client) == 1)
        clock.pass(seconds: 1)
        #expect(limiter.take(client) == nil)
        #expect(limiter.take(client) == 1)
        clock.pass(seconds: 3600)
        for _ in 0..<60 { #expect(limiter.take(client) == nil) }
        #expect(limiter.take(client) == 1)
    }

    @Test func onePerMinuteIsOne() {
        let limiter = limiter(1)
        #expect(limiter.take(Client(address: "::1")) == nil)
        #expect(limiter.take(Client(address: "::1")) == 60)
        clock.pass(seconds: 59.5)
        #expect(limiter.take(Client(address: "::1")) == 1)
    }

    @Test func keysAndAddressesAreToldApart() {
        let limiter = limiter(1)
        for client in [Client.key("a"), .key("b"), .address("a"), Client(address: "192.0.2.1"), Client(address: "")] {
            #expect(limiter.take(client) == nil)
            #expect(limiter.take(client) != nil)
        }
    }

    @Test func aNetworkOfIPv6IsOneClient() {
        #expect(Client(address: "2001:db8::1") == Client(address: "2001:db8:0:0:ffff::2"))
        #expect(Client(address: "2001:db8::1") != Client(address: "2001:db8:0:1::1"))
        #expect(Client(address: "::ffff:192.0.2.1") != Client(address: "::ffff:192.0.2.2"))
    }

    @Test func anAttackWithManyAddressesTakesNoMoreMemory() {
        let limiter = limiter(60, capacity: 100)
        for number in 0..<5000 { _ = limiter.take(.address("\(number)")) }
        #expect(limiter.count == 100)
        // Addresses beyond the table's size share one allowance, which is used up. Addresses in the table keep their
        // own.
        #expect(limiter.take(.address("new")) != nil)
        #expect(limiter.take(.address("0")) == nil)
        #expect(limiter.take(.key("phone")) == nil)
        clock.pass(seconds: 120)
        #expect(limiter.take(.address("new")) == nil)
        #expect(limiter.count < 100)
    }
}
