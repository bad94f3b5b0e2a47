import Base
import Glibc
import Testing

@Suite("Concurrent map")
struct ConcurrentMapTests {
    private struct Failure: Error {}

    @Test("Values keep the order of the elements, whichever is finished first", arguments: [1, 3, Int.max])
    func order(_ limit: Int) async throws {
        var finished: [Int] = []
        let values = try await (0..<20).concurrentMap(atOnce: limit, progress: { finished.append($0) }) { number in
            try await Task.sleep(for: .microseconds((20 - number) * 100))
            return number * 2
        }
        #expect(values == (0..<20).map { $0 * 2 })
        #expect(finished == Array(1...20))
    }

    @Test("No more bodies run at a time than allowed")
    func bound() async throws {
        let running = Locked((now: 0, most: 0))
        _ = try await (0..<30).concurrentMap(atOnce: 4) { _ in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            try await Task.sleep(for: .milliseconds(1))
            running.withLock { $0.now -= 1 }
        }
        #expect(running.withLock { $0.most } == 4)
    }

    @Test("The first failure is thrown")
    func failure() async {
        await #expect(throws: Failure.self) {
            try await [1, 2, 3].concurrentMap { if $0 == 2 { throw Failure() } }
        }
    }
}

@Suite("Monitor")
struct MonitorTests {
    @Test("A thread looks again at the time for which it waits, without a signal")
    func timedWait() {
        let monitor = Monitor(0)
        let end = ContinuousClock.now + .milliseconds(30)
        let looks = monitor.waitUntil { looks in
            looks += 1
            return .now >= end ? .done(looks) : .waitUntil(end)
        }
        // The system may wake a thread early.
        #expect((2...20).contains(looks))
    }
}

@Suite("Blocking pool")
struct BlockingPoolTests {
    private struct IsFull: Error { let pending: Int }

    @Test("Work beyond what may wait is refused at once")
    func bound() async throws {
        let pool = BlockingPool(label: "test", width: 1, maximumPending: 1)
        let isOpen = Locked(false)
        let refused = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    do throws(IsFull) {
                        try await pool.run(whenFull: IsFull.init) { () throws(IsFull) in
                            while !isOpen.withLock(\.self) {}
                        }
                    } catch {
                        refused.withLock { $0 += error.pending }
                        isOpen.withLock { $0 = true }
                    }
                }
            }
        }
        // One ran, one waited, and the refused one then let both continue.
        #expect(refused.withLock(\.self) == 1)
    }

    @Test("Pools that block do not delay others", .timeLimit(.minutes(1)))
    func independence() async {
        let count = 100
        let begun = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await BlockingPool(label: "test", width: 1, maximumPending: 0).runIfRoom {
                        begun.withLock { $0 += 1 }
                        while begun.withLock(\.self) < count { usleep(1000) }
                    }
                }
            }
        }
    }
}
