import Base
import Testing

@testable import Menagerie

@Suite struct ProgressBarTests {
    @Test func theLineSaysHowFarAndHowFast() {
        #expect(
            ProgressBar.line(done: 450, total: 1000, unit: "photos", elapsed: .seconds(3))
                == "[#########-----------] 45 % 450/1000 photos, 150/s, 4 s left")
        #expect(
            ProgressBar.line(done: 0, total: 10, unit: "photos", elapsed: .zero)
                == "[--------------------] 0 % 0/10 photos")
        #expect(
            ProgressBar.line(done: 10, total: 10, unit: "photos", elapsed: .seconds(2))
                == "[####################] 100 % 10/10 photos, 5/s")
    }

    @Test func itIsDrawnTenTimesASecondAtMostAndAtTheEnd() {
        let start = ContinuousClock.now
        let lines = Locked<[String]>([])
        let bar = ProgressBar(unit: "photos", start: start) { line in lines.withLock { $0.append(line) } }
        for (done, milliseconds) in [(1, 10), (2, 50), (3, 115), (4, 120)] {
            bar.show(done, of: 4, now: start + .milliseconds(milliseconds))
        }
        bar.finish()
        let drawn = lines.withLock { $0 }
        #expect(drawn.count == 4 && drawn.last == "\n")
        #expect(drawn[1].contains("3/4") && drawn[2].contains("4/4"))
        let silent = ProgressBar(unit: "photos", start: start, write: nil)
        silent.show(4, of: 4)
        silent.finish()
    }
}
