import TestSupport
import Testing
@testable import Recognition

/// A case in which OpenVINO's streams gave random answers; see ``OpenVINOEngine``.
@Suite("Lanes without int8 arithmetic", .slow, .timeLimit(.minutes(5))) struct DequantisedLanesTests {
    @Test func `share the model that is served`() {
        #expect(ModelWeights.file(path: TestModels.directory + "/menagerie/menagerie.onnx").dequantised != nil)
    }

    @Test func `answer alike however often they are prepared`() throws {
        var answers: Set<[[Float]]> = []
        for _ in 0..<6 {
            let engine = try TestModels.engine(EngineOptions(precision: .f32, lanes: 3))
            let photo = TestModels.noise(1, size: engine.inputSize)[0]
            for lane in 0..<3 { answers.insert(try engine.infer(photo, lane: lane).values) }
        }
        #expect(answers.count == 1)
    }
}
