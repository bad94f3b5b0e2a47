import Base
import Foundation
import Testing

@testable import Training

@Suite struct TrainingRecordTests {
    @Test(arguments: [(60.0, true), (-3_600, false)])
    func theTimeLeftIsNotEstimatedByAClockThatWasSetBack(seconds: Double, isEstimated: Bool) {
        let options = TrainingOptions(name: "mine")
        var record = TrainingRecord(id: .next(), options: options, source: .corrections, keeper: nil)
        record.state = .fitting
        record.progress = 0.5
        record.startedAt = Date(timeIntervalSinceNow: -seconds)
        #expect((record.secondsLeft != nil) == isEstimated)
    }
}
