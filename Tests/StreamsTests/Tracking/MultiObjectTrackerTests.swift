import Imaging
import TestSupport
import Testing

@testable import Streams

struct MultiObjectTrackerTests {
    private func seen(_ x: Double, _ y: Double = 100, label: String = "cat", _ confidence: Double = 0.9) -> Observation
    {
        Observation(box: PictureRegion(x: x, y: y, width: 100, height: 80), label: label, confidence: confidence)
    }

    @Test func `Two that pass each other keep their numbers`() {
        var tracker = MultiObjectTracker()
        var last: [TrackedObject] = []
        for frame in 0...60 {
            let step = Double(frame) * 10
            // In the middle one object hides the other.
            let hidden = abs(frame - 30) < 4
            last = tracker.update(
                [seen(step)] + (hidden ? [] : [seen(600 - step, 110)]), atMilliseconds: Double(frame) * 33)
        }
        #expect(last.map(\.track) == [1, 2])
        #expect(last[0].observed?.x == 600)
        #expect(last[1].observed?.x == 0)
    }

    @Test func `An animal whose box stays hardly sure is faint in the end, a thing or a sure animal never`() {
        func isFaint(_ label: String, frames: Int, _ confidences: Double...) -> Bool {
            var tracker = MultiObjectTracker(options: TrackingOptions(highConfidence: 0.4, newTrackConfidence: 0.4))
            var last: [TrackedObject] = []
            for frame in 0..<frames {
                let sight = seen(0, label: label, confidences[frame % confidences.count])
                last = tracker.update([sight], atMilliseconds: Double(frame) * 100)
            }
            return last[0].isFaint(least: 0.4)
        }
        #expect(isFaint("animal", frames: 10, 0.42))
        #expect(!isFaint("animal", frames: 9, 0.42))
        #expect(!isFaint("animal", frames: 10, 0.42, 0.5))
        #expect(!isFaint("chair", frames: 10, 0.42))
    }

    @Test func `An object hidden for half a second keeps its track, and one away for three seconds is new`() {
        for (away, track) in [(15, 1), (90, 2)] {
            var tracker = MultiObjectTracker()
            for frame in 0..<20 {
                _ = tracker.update([seen(Double(frame) * 4)], atMilliseconds: Double(frame) * 33)
            }
            for frame in 20..<20 + away {
                #expect(tracker.update([], atMilliseconds: Double(frame) * 33).isEmpty)
            }
            let back = tracker.update([seen(Double(20 + away) * 4)], atMilliseconds: Double(20 + away) * 33)
            #expect(back.map(\.track) == [track])
        }
    }

    @Test func `A doubtful box keeps a track alive and begins none`() {
        var tracker = MultiObjectTracker()
        _ = tracker.update([seen(0)], atMilliseconds: 0)
        let kept = tracker.update(
            [seen(2, 100, label: "cat", 0.2), seen(500, 100, label: "cat", 0.2)], atMilliseconds: 33)
        #expect(kept.map(\.track) == [1])
        #expect(kept[0].confidence == 0.2)
        #expect(tracker.objects.count == 1)
    }

    @Test func `A flash of one frame is forgotten, and its number is not given again`() {
        var tracker = MultiObjectTracker()
        _ = tracker.update([seen(0)], atMilliseconds: 0)
        let flash = tracker.update([seen(0), seen(600)], atMilliseconds: 33)
        #expect(flash.map(\.isConfirmed) == [true, false])
        _ = tracker.update([seen(0)], atMilliseconds: 66)
        #expect(tracker.objects.map(\.track) == [1])
        let again = tracker.update([seen(0), seen(600)], atMilliseconds: 99)
        #expect(again.map(\.track) == [1, 3])
    }

    @Test func `A label that flickers stays with its track, and the likelier one names it`() {
        var tracker = MultiObjectTracker()
        for frame in 0..<12 {
            let label = frame % 4 == 3 ? "dog" : "cat"
            let objects = tracker.update([seen(Double(frame), 100, label: label)], atMilliseconds: Double(frame) * 100)
            #expect(objects.map(\.track) == [1])
            #expect(objects.map(\.label) == ["cat"])
        }
    }

    @Test func `A dog that takes a cat's place elsewhere is not the cat`() {
        var tracker = MultiObjectTracker()
        _ = tracker.update([seen(0)], atMilliseconds: 0)
        let objects = tracker.update([seen(50, 100, label: "dog")], atMilliseconds: 33)
        #expect(objects.map(\.track) == [2])
    }

    @Test(arguments: [20.0, 60, 100, 180, 240])
    func `What moves further than it is long between two frames is one track`(step: Double) {
        var tracker = MultiObjectTracker()
        for frame in 0..<6 {
            let objects = tracker.update([seen(Double(frame) * step)], atMilliseconds: Double(frame) * 33)
            #expect(objects.map(\.track) == [1])
        }
    }

    @Test func `The estimate follows the speed at any rate of frames`() {
        for interval in [16.0, 33, 100, 250] {
            var tracker = MultiObjectTracker()
            var objects: [TrackedObject] = []
            for frame in 0..<40 {
                let now = Double(frame) * interval
                objects = tracker.update([seen(now / 10)], atMilliseconds: now)
            }
            let now = 40 * interval
            _ = tracker.update([], atMilliseconds: now)
            #expect(objects.count == 1)
            #expect(abs((tracker.objects.first?.box.x ?? 0) - now / 10) < 5)
        }
    }

    @Test func `Slow frames lose no object that stays, and a long gap ends all tracks`() {
        var tracker = MultiObjectTracker()
        for frame in 0..<5 {
            let objects = tracker.update([seen(0)], atMilliseconds: Double(frame) * 2_000)
            #expect(objects.map(\.track) == [1])
        }
        #expect(tracker.update([seen(0)], atMilliseconds: 60_000).map(\.track) == [2])
    }

    @Test func `A clock that steps back, boxes without extent and numbers that are none do no harm`() {
        var tracker = MultiObjectTracker()
        _ = tracker.update([seen(0)], atMilliseconds: 1_000)
        #expect(tracker.update([seen(1)], atMilliseconds: 500).map(\.track) == [1])
        let broken = [
            Observation(box: PictureRegion(x: .nan, y: 0, width: 1, height: 1), label: "cat", confidence: 0.9),
            Observation(box: PictureRegion(x: 0, y: 0, width: 0, height: 1), label: "cat", confidence: 0.9),
            Observation(box: PictureRegion(x: 0, y: 0, width: 1, height: 1), label: "cat", confidence: .nan),
        ]
        #expect(tracker.update(broken, atMilliseconds: .nan).isEmpty)
        let objects = tracker.update(broken + [seen(1)], atMilliseconds: 1_033)
        #expect(objects.map(\.track) == [1])
        #expect(objects.map(\.observation) == [3])
        #expect(tracker.objects.allSatisfy { $0.box.isValid })
    }

    @Test func `Fractions of the picture track as pixels do`() {
        var (pixels, fractions) = (MultiObjectTracker(), MultiObjectTracker())
        var numbers = SeededNumbers(seed: 7)
        for frame in 0..<100 {
            let boxes = (0..<5).map { index -> Observation in
                seen(Double(frame * (index + 1)) + numbers.normal(3), Double(index) * 60 + numbers.normal(3))
            }.filter { _ in Int.random(in: 0..<10, using: &numbers) > 0 }
            let scaled = boxes.map {
                Observation(
                    box: PictureRegion(
                        x: $0.box.x / 1280, y: $0.box.y / 720, width: $0.box.width / 1280, height: $0.box.height / 720),
                    label: $0.label, confidence: $0.confidence)
            }
            let (first, second) = (
                pixels.update(boxes, atMilliseconds: Double(frame) * 33),
                fractions.update(scaled, atMilliseconds: Double(frame) * 33)
            )
            #expect(first.map(\.track) == second.map(\.track))
            #expect(first.map(\.observation) == second.map(\.observation))
        }
    }
}
