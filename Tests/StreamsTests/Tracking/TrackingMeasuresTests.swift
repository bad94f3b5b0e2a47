import Imaging
import Streams
import Testing
import TrackingMeasures

struct TrackingMeasuresTests {
    private let here = PictureRegion(x: 0, y: 0, width: 10, height: 10)
    private let there = PictureRegion(x: 50, y: 0, width: 10, height: 10)

    @Test func `Perfect tracks are perfect by both measures`() {
        var measures = TrackingMeasures()
        for _ in 0..<10 { measures.add(truth: [1: here, 2: there], answer: [7: here, 9: there]) }
        #expect(measures.accuracy == 1)
        #expect(measures.identityF1 == 1)
        #expect(measures.identitySwitches == 0)
    }

    @Test func `A switch half way costs one switch and half of the identity`() {
        var measures = TrackingMeasures()
        for frame in 0..<10 { measures.add(truth: [1: here], answer: [frame < 5 ? 7 : 8: here]) }
        #expect(measures.identitySwitches == 1)
        #expect(measures.accuracy == 0.9)
        #expect(measures.identityF1 == 0.5)
    }

    @Test func `Misses and false alarms count, and a box beside its truth is both`() {
        var measures = TrackingMeasures()
        measures.add(truth: [1: here], answer: [:])
        measures.add(truth: [:], answer: [7: here])
        measures.add(truth: [1: here], answer: [7: PictureRegion(x: 6, y: 0, width: 10, height: 10)])
        #expect(measures.misses == 2)
        #expect(measures.falseAlarms == 2)
        #expect(measures.accuracy == -1)
        #expect(measures.identityF1 == 0)
    }
}
