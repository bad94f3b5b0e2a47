import Testing

@testable import Streams

@Suite("The clock of a stream") struct LiveClockTests {
    private let start = ContinuousClock.now

    @Test func withoutTheClientsTimesArrivalsCount() {
        var clock = LiveClock()
        #expect(clock.take(nil, arrival: start) == 0)
        #expect(clock.take(nil, arrival: start + .microseconds(33_333)) == 33.33)
        #expect(clock.take(nil, arrival: start + .seconds(60)) == 60_000)
    }

    @Test func withThemTheNetworkBlursNothing() {
        var clock = LiveClock()
        let arrivals = [0, 50, 55, 190]
        let times = zip(arrivals, 0...).map { arrival, index in
            clock.take(5_000_000 + Double(index) * 1000 / 60, arrival: start + .milliseconds(arrival))
        }
        #expect(times == [0, 16.67, 33.33, 50])
    }

    @Test func aFilmMayBeSentSlowerOrFasterThanItWasTaken() {
        var clock = LiveClock()
        _ = clock.take(0, arrival: start)
        #expect(clock.take(20, arrival: start + .seconds(3)) == 20)
        #expect(clock.take(9_000, arrival: start + .milliseconds(3_010)) == 9_000)
    }

    @Test(arguments: [999.0, -3_600_000, 13_000, 1e14]) func aClockThatStepsMovesNoFrame(told: Double) {
        var clock = LiveClock()
        _ = clock.take(1_000, arrival: start)
        let arrival = start + .milliseconds(40)
        #expect(!clock.allows(told, arrival: arrival))
        #expect(clock.take(told, arrival: arrival) == 40)
        // The clock continues from the corrected time.
        #expect(clock.allows(told + 16, arrival: arrival + .milliseconds(30)))
        #expect(clock.take(told + 16, arrival: arrival + .milliseconds(30)) == 56)
    }

    @Test func whoBeginsToTellTheTimeLaterMovesNothing() {
        var clock = LiveClock()
        _ = clock.take(nil, arrival: start)
        #expect(clock.take(77_000, arrival: start + .milliseconds(40)) == 40)
        #expect(clock.take(77_010, arrival: start + .milliseconds(90)) == 50)
        #expect(clock.take(nil, arrival: start + .milliseconds(130)) == 90)
    }
}
