@testable import HTTP
import Testing

@Suite struct LingeringTests {
    /// Counts the waits that linger. `found` says whether something arrives during a lingering wait.
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
        // At first every 4,096th wait lingers. The rate doubles with each success.
        #expect(lingered(&lingering, waits: 20_000) { _ in true } > 10_000)
    }
}
