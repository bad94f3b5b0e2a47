import FoundationEssentials
import Imaging
import Synchronization

/// The models that are served, one folder each: `<root>/<name>/manifest.json` and the weights it names.
///
/// Loading takes about 0.2 s and blocks: call it from a thread that may wait. A model that fails leaves the others,
/// and its own predecessor, as they are.
package final class ModelRepository: Sendable {
    private let root: String
    private let engineOptions: EngineOptions
    private let policy: BatchPolicy
    private let observer: any RecognitionObserver
    private let models: Mutex<[String: LoadedModel]> = Mutex([:])

    /// - Parameter root: the folder of model folders.
    package init(
        root: String, engineOptions: EngineOptions, policy: BatchPolicy = BatchPolicy(),
        observer: any RecognitionObserver = NoObserver()
    ) {
        self.root = root
        self.engineOptions = engineOptions
        self.policy = policy
        self.observer = observer
    }

    /// Loads a model, or loads it anew, and makes it answer a warm-up photo before anyone sees it. What waits for its
    /// predecessor is still answered by that one.
    ///
    /// - Throws: ``RecognitionError/brokenModel(name:reason:)``.
    @discardableResult
    package func load(_ name: String) throws(RecognitionError) -> LoadedModel {
        let manifest = try readManifest(name)
        let path = "\(root)/\(name)/\(manifest.file)"
        guard let weights = FileManager.default.contents(atPath: path) else {
            throw .brokenModel(name: name, reason: "\(path) cannot be read")
        }
        let checksum = weights.withUnsafeBytes { SHA256.hex(of: $0) }
        guard checksum == manifest.sha256.lowercased() else {
            throw .brokenModel(
                name: name, reason: "\(path) has SHA-256 \(checksum), the manifest says \(manifest.sha256)")
        }
        let model: LoadedModel
        do throws(RecognitionError) {
            let outputs = manifest.outputs.keys.sorted()
            let engine = try OpenVINOEngine(path: path, input: manifest.input, outputs: outputs, options: engineOptions)
            try Self.warmUp(engine)
            model = try LoadedModel(manifest: manifest, engine: engine, policy: policy, observer: observer)
        } catch {
            if case .engine(let reason) = error { throw .brokenModel(name: name, reason: reason) }
            throw error
        }
        let predecessor = models.withLock { models in
            defer { models[name] = model }
            return models[name]
        }
        predecessor?.stop(finishingQueue: true)
        return model
    }

    /// A model that was loaded, ready to answer.
    ///
    /// - Throws: ``RecognitionError/unknownModel(_:)``.
    package func model(_ name: String) throws(RecognitionError) -> LoadedModel {
        guard let model = models.withLock({ $0[name] }) else { throw .unknownModel(name) }
        return model
    }

    /// Names of the models that are ready, sorted.
    package var readyModels: [String] { models.withLock { $0.keys.sorted() } }

    /// Stops every model; waiting photos fail with ``RecognitionError/stopped``.
    package func stop() {
        let all = models.withLock { models in
            defer { models = [:] }
            return models.values
        }
        for model in all { model.stop() }
    }

    private func readManifest(_ name: String) throws(RecognitionError) -> ModelManifest {
        guard !name.contains("/"), name != ".." else { throw .unknownModel(name) }
        let path = "\(root)/\(name)/manifest.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .brokenModel(name: name, reason: "\(path) cannot be read")
        }
        let manifest: ModelManifest
        do {
            manifest = try JSONDecoder().decode(ModelManifest.self, from: data)
        } catch {
            throw .brokenModel(name: name, reason: "\(path): \(error)")
        }
        try manifest.validate()
        guard manifest.name == name else {
            throw .brokenModel(name: name, reason: "\(path) calls itself \"\(manifest.name)\"")
        }
        return manifest
    }

    /// One real forward pass on every lane, with finite answers: kernels are made and memory is taken now, not with
    /// the first photo.
    private static func warmUp(_ engine: any InferenceEngine) throws(RecognitionError) {
        let photo = [UInt8](repeating: 128, count: engine.inputSize)
        for lane in 0..<engine.lanes {
            var result: Result<ModelOutput, RecognitionError> = .failure(.engine("no answer to the warm-up photo"))
            engine.infer([photo], lane: lane) { result = $1 }
            let output = try result.get()
            guard output.values.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
                throw .engine("the answer to the warm-up photo is not finite")
            }
        }
    }
}
