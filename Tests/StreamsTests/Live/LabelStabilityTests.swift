@testable import Streams
import Testing

struct LabelStabilityTests {
    private func verdict(_ label: String, _ confidence: Double = 0.8) -> LabelStability.Verdict {
        LabelStability.Verdict(label: label, head: "cats", confidence: confidence)
    }

    @Test func `A label is the answer when it has led for more than half of the consensus`() {
        var stability = LabelStability()
        for frame in 0..<5 {
            stability.update(
                verdict("siamese"), currentConfidence: nil, consensus: 5, atMilliseconds: Double(frame) * 100)
            #expect((stability.current != nil) == (frame >= 2))
        }
        #expect(stability.current?.label == "siamese")
        #expect(stability.current?.sinceMilliseconds == 200)
    }

    @Test func `A consensus of one answers at once`() {
        var stability = LabelStability()
        stability.update(verdict("siamese"), currentConfidence: nil, consensus: 1, atMilliseconds: 7)
        #expect(stability.current?.sinceMilliseconds == 7)
        stability.update(verdict("birman"), currentConfidence: 0.1, consensus: 1, atMilliseconds: 8)
        #expect(stability.current?.label == "birman")
    }

    @Test func `Two that are about equal do not take turns`() {
        var stability = LabelStability()
        var labels: Set<String> = []
        for frame in 0..<100 {
            let leader = frame % 3 == 0 ? "birman" : "siamese"
            stability.update(
                verdict(leader, 0.45), currentConfidence: 0.42, consensus: 3, atMilliseconds: Double(frame))
            if let current = stability.current { labels.insert(current.label) }
        }
        #expect(labels == ["siamese"])
    }

    @Test func `One that leads by little and long does not win, one that leads by much does`() {
        var stability = LabelStability()
        for _ in 0..<5 { stability.update(verdict("siamese"), currentConfidence: nil, consensus: 5, atMilliseconds: 0) }
        for _ in 0..<50 {
            stability.update(verdict("birman", 0.45), currentConfidence: 0.4, consensus: 5, atMilliseconds: 1)
        }
        #expect(stability.current?.label == "siamese")
        #expect(stability.current?.confidence == 0.4)
        stability.update(verdict("birman", 0.7), currentConfidence: 0.2, consensus: 5, atMilliseconds: 2)
        #expect(stability.current?.label == "birman")
        #expect(stability.current?.sinceMilliseconds == 2)
    }

    @Test func `When nothing is to be seen for a consensus the answer goes, not before`() {
        var stability = LabelStability()
        for _ in 0..<5 { stability.update(verdict("siamese"), currentConfidence: nil, consensus: 5, atMilliseconds: 0) }
        for _ in 0..<4 { stability.update(nil, currentConfidence: nil, consensus: 5, atMilliseconds: 1) }
        #expect(stability.current?.label == "siamese")
        stability.update(nil, currentConfidence: nil, consensus: 5, atMilliseconds: 1)
        #expect(stability.current == nil)
    }
}
