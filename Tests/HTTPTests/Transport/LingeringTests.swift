@testable import HTTP
import Testing

@Suite struct LingeringTests {
    /// How many of `waits` waits linger where `found` says whether something comes while one does.
    private func lingered(_ lingering: inout Lingering, waits: Int, found: (Int) -> Bool) -> Int {
        var count = 0
        for wait in 0..<waits where lingering.begins() {
            count += 1
            lingering.ended(found: found(wait))
        }
        return count
    }

    @Test func whereSomethingAlwaysComesEveryWaitLingers() {
        var lingering = Lingering()
        #expect(lingered(&lingering, waits: 1000) { _ in true } == 1000)
    }

    @Test func whereNothingComesHardlyAnyWaitLingers() {
        var lingering = Lingering()
        #expect(lingered(&lingering, waits: 100_000) { _ in false } < 40)
    }

    @Test func everyOtherOneInVainIsTooMany() {
        var lingering = Lingering()
        var isGood = false
        let count = lingered(&lingering, waits: 100_000) { _ in
            isGood.toggle()
            return isGood
        }
        #expect(count < 1000)
    }

    @Test func aBusyClientIsNoticedAfterALongSilence() {
        var lingering = Lingering()
        _ = lingered(&lingering, waits: 100_000) { _ in false }
        // Every 4,096th wait at first, then twice as often each time.
        #expect(lingered(&lingering, waits: 20_000) { _ in true } > 10_000)
    }
}
