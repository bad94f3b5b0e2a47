import Foundation
import Testing

@testable import Connections

@Suite struct CameraLogTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// Feeds states, each after this many seconds.
    ///
    /// - Returns: which of them are logged.
    private func named(_ states: [(after: Double, CameraStatus.State, problem: String?)]) -> [Bool] {
        var log = CameraLog()
        var status = CameraStatus(state: .connecting, since: start)
        return states.map { after, state, problem in
            let date = status.since.addingTimeInterval(after)
            defer { status = CameraStatus(state: state, problem: problem, since: date) }
            return log.names(state, problem: problem, after: status, at: date)
        }
    }

    @Test func aCameraThatFreezesAgainAndAgainIsNamedOnce() {
        let found = named([
            (1, .watching, nil), (60, .away, "frozen"), (5, .watching, nil), (60, .away, "frozen"),
            (5, .away, "no route"), (5, .watching, nil), (60, .away, "frozen"),
        ])
        #expect(found == [true, true, false, false, true, false, false])
    }

    @Test func whatLastedForAnHourIsNamedAnew() {
        let found = named([
            (1, .watching, nil), (60, .away, "frozen"), (4000, .watching, nil), (4000, .away, "frozen"),
        ])
        #expect(found == [true, true, true, true])
    }

    @Test func problemsThatAreAlwaysNewDoNotFillTheLog() {
        let found = named((0..<1000).map { (1, .away, "problem \($0)") })
        #expect(found.filter(\.self).count == 16)
    }
}
