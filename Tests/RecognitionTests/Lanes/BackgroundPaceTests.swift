import Testing
@testable import Recognition

@Suite struct BackgroundPaceTests {
    private let start = ContinuousClock.now

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func waiting(interactive: Int = 0, bulk: Int = 0) -> BackgroundPace.Waiting {
        BackgroundPace.Waiting(interactive: interactive, bulk: bulk, backgroundSince: start)
    }

    @Test func `alone, background photos take every lane`() {
        var pace = BackgroundPace()
        for _ in 0..<8 {
            #expect(pace.hold(waiting(), now: start) == nil)
            pace.begin(.background)
        }
        #expect(!pace.isBusy(waiting(), now: start))
    }

    @Test func `a background photo starts in a gap between interactive ones`() {
        var pace = BackgroundPace()
        pace.begin(.interactive)
        #expect(pace.hold(waiting(), now: after(5)) == after(40))
        pace.end(.interactive, now: after(10))
        #expect(pace.hold(waiting(), now: after(10)) == nil)
        #expect(pace.hold(waiting(interactive: 1), now: after(10)) == after(40))
    }

    @Test func `while interactive photos come, one background photo is in work`() {
        var pace = BackgroundPace()
        pace.begin(.interactive)
        pace.end(.interactive, now: start)
        pace.begin(.background)
        #expect(pace.hold(waiting(), now: after(499)) == after(500))
        #expect(pace.isBusy(waiting(), now: after(499)))
        #expect(pace.hold(waiting(), now: after(500)) == nil)
        #expect(!pace.isBusy(waiting(), now: after(500)))
        pace.end(.background, now: after(20))
        #expect(pace.hold(waiting(), now: after(20)) == nil)
    }

    @Test func `background work is never starved`() {
        var pace = BackgroundPace()
        pace.begin(.interactive)
        #expect(pace.hold(waiting(interactive: 9), now: after(39)) == after(40))
        #expect(pace.hold(waiting(interactive: 9), now: after(40)) == nil)
        pace.begin(.background)
        pace.end(.background, now: after(60))
        #expect(pace.hold(waiting(interactive: 9), now: after(60)) == after(100))
    }

    @Test func `waiting bulk photos go first and limit nothing else`() {
        var pace = BackgroundPace()
        #expect(pace.hold(waiting(bulk: 1), now: after(1)) == after(40))
        pace.begin(.bulk)
        #expect(pace.hold(waiting(), now: after(1)) == nil)
        #expect(!pace.isBusy(waiting(bulk: 1), now: after(1)))
    }
}
