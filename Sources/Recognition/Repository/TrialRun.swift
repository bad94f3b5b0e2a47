/// A network's answer to a picture of noise, which is the same in every run. It shows that the network runs, and what
/// its outputs look like.
struct TrialRun {
    /// The values of the outputs, in order.
    let values: [[Float]]

    /// - Throws: ``RecognitionError/engine(_:)`` if the network cannot be compiled or does not answer.
    init(_ weights: ModelWeights, input: ModelManifest.Input, outputs: [String]) throws(RecognitionError) {
        let engine = try OpenVINOEngine(
            weights: weights, input: input, outputs: outputs, options: EngineOptions(precision: .f32, lanes: 1))
        values = try engine.infer(Self.noise(engine.inputSize), lane: 0).values
    }

    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 42
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
