@testable import HTTP
import Testing

/// Deadlines on a clock that the test controls.
@Suite struct ConnectionDeadlineTests {
    private let timeouts = LoopContext.Timeouts(
        ConnectionTimeouts(
            header: .seconds(10), body: .seconds(30), idle: .seconds(60), write: .seconds(20), minimumRate: 1000),
        handshake: .seconds(5))

    /// The deadline after each event. An event has its time in milliseconds, the kind of wait and the bytes of
    /// progress.
    private func times(_ events: [(now: UInt64, kind: ConnectionDeadline.Kind, bytes: UInt64)]) -> [UInt64?] {
        var deadline = ConnectionDeadline()
        return events.map { event in
            deadline.progress += event.bytes
            _ = deadline.update(event.kind, fixed: nil, epoch: 1, now: event.now, timeouts: timeouts)
            return deadline.time
        }
    }

    @Test func aHeadHasOneTimeHoweverItDrips() {
        let head = ConnectionDeadline.Kind.timer(.header)
        #expect(times([(0, head, 0), (4000, head, 1), (9000, head, 1)]) == [10_000, 10_000, 10_000])
    }

    @Test func everyWaitForARequestBeginsAnew() {
        let times = times([(0, .timer(.idle), 0), (5000, .timer(.header), 0), (6000, .timer(.idle), 0)])
        #expect(times == [60_000, 15_000, 66_000])
    }

    @Test(arguments: [(ConnectionDeadline.Kind.timer(.body), UInt64(30_000)), (.write, 20_000)])
    func drippingBuysWhatItTakesAtTheMinimumRate(_ kind: ConnectionDeadline.Kind, _ patience: UInt64) {
        let seconds: Range<UInt64> = 0..<100
        // One byte per second is far below the rate of 1000, so each byte gains one millisecond.
        let drips = seconds.map { (now: $0 * 1000, kind: kind, bytes: min($0, 1)) }
        #expect(times(drips).last == patience + 99)
        // At the minimum rate the deadline never passes.
        let steady = seconds.map { (now: $0 * 1000, kind: kind, bytes: min($0, 1) * 1000) }
        #expect(times(steady).last == 99_000 + patience)
    }

    @Test(arguments: [(ConnectionDeadline.Kind.timer(.body), UInt64(30_000)), (.write, 20_000)])
    func aBurstBuysNoSilence(_ kind: ConnectionDeadline.Kind, _ patience: UInt64) {
        let times = times([(0, kind, 0), (1000, kind, 50_000_000), (5000, kind, 0)])
        #expect(times == [patience, 1000 + patience, 1000 + patience])
    }
}
