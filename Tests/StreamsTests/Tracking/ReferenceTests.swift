import Foundation
import Imaging
@testable import Streams
import Testing
import TrackingMeasures

/// Sequences with known truth. `Benchmarks/Live/tracking-fixture.py` measured the published ByteTrack of `supervision`
/// on the same boxes.
struct ReferenceTests {
    struct Fixture: Decodable {
        let sequences: [Sequence]
    }

    struct Sequence: Decodable, CustomTestStringConvertible {
        struct Reference: Decodable {
            let accuracy: Double
            let identityF1: Double
            let identitySwitches: Int

            enum CodingKeys: String, CodingKey {
                case accuracy
                case identityF1 = "identity_f1"
                case identitySwitches = "identity_switches"
            }
        }

        let name: String
        let rate: Double
        /// The number, x, y, width and height of each object, for each frame.
        let truth: [[[Double]]]
        /// The x, y, width, height and confidence of each box, for each frame.
        let seen: [[[Double]]]
        let reference: Reference

        var testDescription: String { name }
    }

    static let sequences: [Sequence] = {
        guard let url = Bundle.module.url(forResource: "sequences", withExtension: "json", subdirectory: "Fixtures"),
            let data = try? Data(contentsOf: url), let fixture = try? JSONDecoder().decode(Fixture.self, from: data)
        else { return [] }
        return fixture.sequences
    }()

    @Test func `The fixture is there`() {
        #expect(Self.sequences.map(\.name) == ["crossings", "occlusions", "clutter", "crowd", "fast"])
    }

    @Test(arguments: sequences)
    func `Tracks are no worse than the reference's on the same boxes`(sequence: Sequence) {
        let measures = measure(sequence)
        #expect(measures.accuracy >= sequence.reference.accuracy - 0.01)
        #expect(measures.identityF1 >= sequence.reference.identityF1 - 0.01)
        #expect(measures.identitySwitches <= sequence.reference.identitySwitches)
    }

    private func measure(_ sequence: Sequence) -> TrackingMeasures {
        var tracker = MultiObjectTracker()
        var measures = TrackingMeasures()
        for (frame, boxes) in sequence.seen.enumerated() {
            let observations = boxes.map {
                Observation(
                    box: PictureRegion(x: $0[0], y: $0[1], width: $0[2], height: $0[3]), label: "animal",
                    confidence: $0[4])
            }
            let objects = tracker.update(observations, atMilliseconds: Double(frame) * 1000 / sequence.rate)
            let truth = sequence.truth[frame].map {
                (Int($0[0]), PictureRegion(x: $0[1], y: $0[2], width: $0[3], height: $0[4]))
            }
            // The reference answers with the observed boxes, so the test does too.
            let answer = objects.filter(\.isConfirmed).compactMap { object in
                object.observed.map { (object.track, $0) }
            }
            measures.add(
                truth: Dictionary(uniqueKeysWithValues: truth), answer: Dictionary(uniqueKeysWithValues: answer))
        }
        return measures
    }
}
