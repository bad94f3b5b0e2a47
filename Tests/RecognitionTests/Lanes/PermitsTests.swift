import Testing
@testable import Recognition

@Suite struct PermitsTests {
    /// The number of admitted photos among these.
    func take(_ count: Int, _ model: String?, from permits: inout Permits) -> Int {
        var taken = 0
        for _ in 0..<count {
            do throws(RecognitionError) {
                try permits.take(model)
                taken += 1
            } catch {
                guard case .overloaded(let wait) = error, wait > .zero else {
                    Issue.record("\(error) is no overload")
                    continue
                }
            }
        }
        return taken
    }

    @Test func `one model may have every place, and no more`() {
        var permits = Permits(limit: 16)
        let taken = take(20, "a", from: &permits)
        #expect(taken == 16 && permits.inside == 16)
        permits.giveBack("a")
        let again = take(2, "a", from: &permits)
        #expect(again == 1)
    }

    @Test func `a busy model leaves the others an eighth of its places`() {
        var permits = Permits(limit: 16)
        let busy = take(16, "busy", from: &permits)
        let other = take(5, "other", from: &permits)
        let more = take(1, "busy", from: &permits)
        #expect(busy == 16 && other == 2 && more == 0 && permits.inside == 18)
        permits.giveBack("other")
        let again = take(1, "other", from: &permits)
        #expect(again == 1)
    }

    @Test func `a model that is not loaded has no reserved places`() {
        var permits = Permits(limit: 2)
        let unknown = take(5, nil, from: &permits)
        #expect(unknown == 2)
        permits.giveBack(nil)
        permits.giveBack(nil)
        let known = take(1, "a", from: &permits)
        #expect(known == 1 && permits.inside == 1)
    }
}

@Suite("ServiceRate") struct ServiceRateTests {
    @Test func `settles on the measured rate and ignores idle time`() {
        var rate = ServiceRate()
        var now = ContinuousClock.now
        for photo in 0..<400 {
            // Every tenth completion leaves the engine idle for a second.
            rate.complete(now: now, isBusy: photo % 10 != 9)
            now += photo % 10 == 9 ? .seconds(1) : .milliseconds(4)
        }
        #expect(abs(rate.secondsPerPhoto - 0.004) < 0.0001)
        #expect(abs(rate.drainTime(of: 100).seconds - 0.4) < 0.01)
    }
}
