@testable import HTTP
import Testing

@Suite struct TimerWheelTests {
    /// The time at which each id fires.
    private func run(_ wheel: inout TimerWheel, from start: UInt64, to end: UInt64, step: UInt64) -> [Int: UInt64] {
        var fired: [Int: UInt64] = [:]
        var now = start
        while now <= end {
            var due: [Int] = []
            wheel.advance(to: now, into: &due)
            for id in due { fired[id] = now }
            now += step
        }
        return fired
    }

    @Test(arguments: [UInt64(1), 7, 50, 1000, 30_000])
    func firesAfterTheDeadlineAndNotLong(step: UInt64) throws {
        var wheel = TimerWheel(now: 1_000_000)
        let deadlines: [Int: UInt64] = [3: 1_000_001, 4: 1_000_100, 5: 1_010_000, 6: 1_060_000, 900: 1_100_000]
        for (id, deadline) in deadlines { wheel.set(id, deadline: deadline) }
        let fired = run(&wheel, from: 1_000_000, to: 1_200_000, step: step)
        #expect(fired.count == deadlines.count)
        for (id, deadline) in deadlines {
            let time = try #require(fired[id])
            #expect(time >= deadline)
            #expect(time <= deadline + 2 * TimerWheel.granularity + step)
        }
    }

    @Test func movesAndCancels() {
        var wheel = TimerWheel(now: 0)
        wheel.set(1, deadline: 100)
        wheel.set(1, deadline: 5000)
        wheel.set(2, deadline: 5000)
        wheel.set(2, deadline: 100)
        wheel.set(3, deadline: 100)
        wheel.cancel(3)
        let fired = run(&wheel, from: 0, to: 20_000, step: 10)
        #expect(fired.keys.sorted() == [1, 2])
        #expect((fired[1] ?? 0) >= 5000)
        #expect((fired[2] ?? 9999) < 300)
    }

    @Test func delayReachesTheNextDeadline() {
        var wheel = TimerWheel(now: 0)
        #expect(wheel.delay(now: 0) == nil)
        wheel.set(1, deadline: 3000)
        var now: UInt64 = 0
        var wakes = 0
        var due: [Int] = []
        while due.isEmpty, let delay = wheel.delay(now: now) {
            now += delay + 1
            wakes += 1
            wheel.advance(to: now, into: &due)
        }
        #expect(due == [1])
        #expect(now >= 3000 && now < 3200)
        #expect(wakes < 5)
    }
}
