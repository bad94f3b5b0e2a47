import Base
import Dispatch
import Learning

/// A compiled, warmed-up model with an open line.
///
/// A retired model stops when nobody uses it any more, so that a swap fails no request.
package final class LoadedModel: Sendable {
    private struct Use {
        var count = 0
        var isRetired = false
    }

    package let manifest: ModelManifest
    /// The estimated memory of the model, in bytes: the growth of the process when it was loaded (at least its
    /// weights), when it was compiled for tensors, and when further networks of its cascade were first needed.
    package var memory: Int { pictureMemory + (tensors?.engine.deferredMemory ?? 0) + engine.deferredMemory }
    /// Whether it takes its network's own input tensor, besides pictures.
    package var takesTensors: Bool { tensors != nil }
    /// Statistics since it was loaded.
    package let statistics = InferenceStatistics()
    /// The names of its heads, in the order of answers.
    package var headNames: [String] { heads.names }
    /// The output tensors, in the order of `ModelOutput.values`. Shapes are for one photo.
    package let outputs: [(name: String, size: Int, shape: [Int])]

    package let heads: HeadSet
    /// Names regions together with a detector. Nil if the manifest does not say how.
    package let regions: RegionNames?
    /// Reads boxes from the output. Nil if the model has no readable boxes.
    package let detector: Detector?
    package let line: ModelLine
    /// The engine, which heads trained on its features share.
    let engine: any InferenceEngine
    package let featuresOutput: Int?
    /// Detects photos unlike anything that a model was taught here. Nil for other models.
    let classMeans: ClassMeans?
    /// Its network compiled for its own input tensor instead of a picture. Nil if it takes only pictures.
    private let tensors: (engine: DeferredEngine, line: ModelLine)?
    /// The queue that compiles the network for tensors. Callers wait for it suspended, without a thread.
    private let tensorQueue = DispatchQueue(label: "models.tensors")
    private let pictureMemory: Int
    private let observer: any RecognitionObserver
    private let use = Locked(Use())

    init(
        manifest: ModelManifest, engine: any InferenceEngine, tensors: DeferredEngine? = nil, memory: Int = 0,
        classMeans: ClassMeans? = nil, lanes: LaneScheduler, observer: any RecognitionObserver
    ) throws(RecognitionError) {
        self.manifest = manifest
        self.engine = engine
        self.classMeans = classMeans
        self.observer = observer.observer(ofModel: manifest.name)
        pictureMemory = memory
        for (name, head) in manifest.heads {
            let output = head.output ?? name
            guard let index = engine.outputNames.firstIndex(of: output) else {
                throw .brokenModel(name: manifest.name, fault: .outputs, reason: "there is no output \"\(output)\"")
            }
            guard head.labels.count == engine.outputSizes[index] else {
                throw .brokenModel(
                    name: manifest.name, fault: .labels,
                    reason:
                        "output \"\(output)\" has \(engine.outputSizes[index]) values, its head \(head.labels.count) labels"
                )
            }
        }
        detector = try manifest.detection.map { detection throws(RecognitionError) in
            try Detector(detection, of: manifest, engine: engine)
        }
        heads = HeadSet(manifest: manifest, outputNames: engine.outputNames)
        regions = RegionNames(manifest, heads: heads)
        featuresOutput = engine.outputNames.firstIndex(of: "features")
        outputs = engine.outputNames.indices.map {
            (engine.outputNames[$0], engine.outputSizes[$0], engine.outputShapes[$0])
        }
        let (observer, statistics) = (self.observer, self.statistics)
        func open(_ engine: any InferenceEngine) throws(RecognitionError) -> ModelLine {
            try ModelLine(engine: engine, lanes: lanes, observer: observer, statistics: statistics, name: manifest.name)
        }
        line = try open(engine)
        // The second line needs no further thread, so opening it cannot fail and leave the first one open.
        self.tensors = try tensors.map { engine throws(RecognitionError) in (engine, try open(engine)) }
    }

    var isInUse: Bool { use.withLock { $0.count > 0 } }

    /// Keeps the model running until ``giveBack()``.
    func take() { use.withLock { $0.count += 1 } }

    /// - Returns: whether the caller was the last user and must stop the model.
    func giveBack() -> Bool {
        use.withLock { use in
            use.count -= 1
            return use.isRetired && use.count == 0
        }
    }

    /// Marks the model as not to be taken again.
    ///
    /// - Returns: whether nobody uses it, so that the caller must stop it.
    func retire() -> Bool {
        use.withLock { use in
            use.isRetired = true
            return use.count == 0
        }
    }

    /// Compiles the network for tensors, unless that is done already. The caller is suspended meanwhile.
    ///
    /// - Throws: `RecognitionError.invalidTensor(_:)` if the network takes none.
    package func prepareForTensors() async throws {
        guard let tensors else {
            throw RecognitionError.invalidTensor("The network's own input is \(manifest.input.type.rawValue), not f32.")
        }
        guard !tensors.engine.isPrepared else { return }
        try await withCheckedThrowingContinuation { continuation in
            tensorQueue.async {
                continuation.resume(with: Result { _ = try tensors.engine.prepare() })
            }
        }
    }

    /// - Parameter tensor: f32, little-endian, in the network's layout.
    package func submit(
        tensor: [UInt8], priority: Priority, deadline: ContinuousClock.Instant?
    ) async throws -> ModelLine.Inference {
        guard let line = tensors?.line else { throw RecognitionError.stopped }
        return try await line.submit(tensor, priority: priority, deadline: deadline)
    }

    /// Ends its threads. Blocks until they have ended.
    ///
    /// - Parameter finishingQueue: whether waiting photos are still answered rather than refused.
    func stop(finishingQueue: Bool = false) {
        tensors?.line.stop(finishingQueue: finishingQueue)
        line.stop(finishingQueue: finishingQueue)
    }
}

extension LoadedModel {
    /// - Throws: ``RecognitionError`` if this is no classifier, or if it lacks one of the heads.
    func checkClassifier(answering heads: [String]) throws(RecognitionError) {
        try manifest.require(.classification)
        for head in heads where !headNames.contains(head) { throw .unknownHead(head, available: headNames) }
    }

    /// Whether trainings can use its features.
    package var hasFeatures: Bool { featuresOutput != nil }

    /// The number of its features. 0 without such an output.
    package var featureCount: Int { featuresOutput.map { outputs[$0].size } ?? 0 }
}
