import Imaging
@testable import Streams
import Testing

struct TapTests {
    private func objects(_ boxes: [PictureRegion]) -> [TrackedObject] {
        var tracker = MultiObjectTracker()
        return tracker.update(
            boxes.map { Observation(box: $0, label: "cat", confidence: 0.9) }, atMilliseconds: 0)
    }

    private let large = PictureRegion(x: 0, y: 0, width: 0.8, height: 0.8)
    private let small = PictureRegion(x: 0.2, y: 0.2, width: 0.1, height: 0.1)

    @Test func `A point means the smallest box around it`() {
        let objects = objects([large, small])
        #expect(Tap(id: "a", x: 0.25, y: 0.25).track(among: objects)?.track == 2)
        #expect(Tap(id: "a", x: 0.5, y: 0.5).track(among: objects)?.track == 1)
        #expect(Tap(id: "a", x: 0.9, y: 0.9).track(among: objects) == nil)
    }

    @Test func `A region means the box that it overlaps most, where it does so enough`() {
        let objects = objects([large, small])
        #expect(Tap(id: "a", x: 0.19, y: 0.19, width: 0.12, height: 0.12).track(among: objects)?.track == 2)
        #expect(Tap(id: "a", x: 0.05, y: 0.05, width: 0.7, height: 0.7).track(among: objects)?.track == 1)
        #expect(Tap(id: "a", x: 0.7, y: 0.7, width: 0.3, height: 0.3).track(among: objects) == nil)
    }
}
