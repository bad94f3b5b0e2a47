import Base
import Testing

@Suite struct ConcurrentForEachTests {
    @Test func valuesAreHandedOnInOrderAndFewAreHeld() async throws {
        let running = Locked((now: 0, most: 0, begun: 0, used: 0, held: 0))
        var values: [Int] = []
        try await (0..<500).concurrentForEach(atOnce: 8) { number in
            running.withLock {
                $0.now += 1
                $0.begun += 1
                $0.most = max($0.most, $0.now)
                $0.held = max($0.held, $0.begun - $0.used)
            }
            try? await Task.sleep(for: .microseconds(number % 7 * 200))
            running.withLock { $0.now -= 1 }
            return number
        } use: { value in
            running.withLock { $0.used += 1 }
            values.append(value)
        }
        #expect(values == Array(0..<500))
        let (most, held) = running.withLock { ($0.most, $0.held) }
        #expect(most == 8)
        #expect(held <= 16)
    }

    @Test func whatTheUserThrowsEndsIt() async {
        struct Enough: Error {}
        let begun = Locked(0)
        await #expect(throws: Enough.self) {
            try await (0...).concurrentForEach(atOnce: 2) { number in
                begun.withLock { $0 += 1 }
                return number
            } use: {
                if $0 == 10 { throw Enough() }
            }
        }
        #expect(begun.withLock { $0 } <= 16)
    }
}
