import Imaging
import Recognition
import Testing

@testable import Streams

struct RegionEvidenceTests {
    @Test func `Before a closer look a dog is reported after four sightings, an animal without a name never`() {
        func isReported(_ label: String, sightings: Int) -> Bool {
            var evidence = RegionEvidence()
            let scores = DetectorScores(labels: ["dog", Animals.other], scores: label == "dog" ? [0.8, 0] : [0, 0.8])
            for _ in 0..<sightings {
                evidence.add(DetectedBox(region: .whole, label: label, confidence: 0.8, scores: scores))
                evidence.decide(by: nil)
            }
            #expect(evidence.isShown)
            return evidence.isCredible(afterSightings: sightings)
        }
        #expect(!isReported("dog", sightings: 3))
        #expect(isReported("dog", sightings: 4))
        #expect(!isReported(Animals.other, sightings: 40))
    }
}
