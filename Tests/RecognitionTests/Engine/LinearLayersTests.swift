import Foundation
import ModelImport
@testable import Recognition
import TestSupport
import Testing

@Suite("Linear layers as convolutions", .slow, .timeLimit(.minutes(3))) struct LinearLayersTests {
    /// Rounding differs only where a sum is between two bytes.
    @Test func `answer alike`() throws {
        let manifest = try TestModels.manifest()
        let file = ModelWeights.file(path: "\(TestModels.directory)/menagerie/\(try #require(manifest.cascade).file)")
        let engines = try [file, file.withConvolutions].map {
            try OpenVINOEngine(
                weights: $0, input: manifest.input, outputs: ["presence", "zoo"],
                options: EngineOptions(precision: .f32, lanes: 1))
        }
        for photo in TestModels.noise(4, size: engines[0].inputSize) {
            let answers = try engines.map { try $0.infer(photo, lane: 0).values.flatMap(\.self) }
            for (one, other) in zip(answers[0], answers[1]) { #expect(abs(one - other) < 0.3) }
        }
    }
}
