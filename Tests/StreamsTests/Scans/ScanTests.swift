import Base
import Storage
import Streams
import Testing

@testable import Imaging
@testable import Recognition

struct ScanTests {
    @Test func `a model whose presence names a label twice makes a scan, too`() {
        let classification = Classification(
            image: ImageInfo(
                storedWidth: 4, storedHeight: 2, format: .jpeg, orientation: .up, sha256: ContentDigest(of: [])),
            heads: [
                HeadAnswer(name: "presence", labels: ["cat", "cat", "other"], probabilities: [0.25, 0.5, 0.25])
            ],
            species: "cat", modelName: "m", modelVersion: "1", timing: Timing(decode: 0, queue: 0, inference: 0),
            features: nil,
            decision: Decision(AgreedAnswer(head: "cats", predictions: [], isSure: true), isApproximate: false),
            output: ModelOutput(values: []))
        let scan = Scan(classification, top: 3, heads: nil, language: .english)
        #expect(scan.presence == ["cat": 0.5, "other": 0.25])
    }
}
