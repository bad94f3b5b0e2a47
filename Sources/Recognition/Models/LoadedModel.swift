/// A model that answers: compiled, warmed up, with its batcher running.
package final class LoadedModel: Sendable {
    package let manifest: ModelManifest
    /// Names of its heads, in the order of answers.
    package var headNames: [String] { heads.names }

    let heads: HeadSet
    let batcher: Batcher
    let featuresOutput: Int?

    init(
        manifest: ModelManifest, engine: any InferenceEngine, policy: BatchPolicy, observer: any RecognitionObserver
    ) throws(RecognitionError) {
        self.manifest = manifest
        for (index, name) in engine.outputNames.enumerated() {
            guard let head = manifest.heads[name], head.labels.count != engine.outputSizes[index] else { continue }
            throw .brokenModel(
                name: manifest.name,
                reason:
                    "output \"\(name)\" has \(engine.outputSizes[index]) values, its head \(head.labels.count) labels")
        }
        heads = HeadSet(manifest: manifest, outputNames: engine.outputNames)
        featuresOutput = engine.outputNames.firstIndex(of: "features")
        batcher = try Batcher(engine: engine, policy: policy, observer: observer)
    }

    func submit(_ pixels: [UInt8], _ options: ClassificationOptions) async throws -> Batcher.Inference {
        try await batcher.submit(pixels, priority: options.priority, deadline: options.deadline)
    }

    /// Ends its threads; blocks until they have ended.
    ///
    /// - Parameter finishingQueue: whether photos that wait are still answered, or refused.
    func stop(finishingQueue: Bool = false) { batcher.stop(finishingQueue: finishingQueue) }
}
