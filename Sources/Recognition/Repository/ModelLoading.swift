import Base
import FoundationEssentials
import Glibc
import Imaging
import ModelImport

/// Turns a folder into a loaded model.
struct ModelLoading: Sendable {
    let engineOptions: EngineOptions
    /// The threads, which all models share.
    let lanes: LaneScheduler
    let observer: any RecognitionObserver
    let residentMemory: @Sendable () -> Int
    let growth: MemoryGrowth
    /// Whether the further networks of a cascade wait for the first photo that needs them.
    let defers: Bool

    init(
        engineOptions: EngineOptions, lanes: LaneScheduler, observer: any RecognitionObserver,
        residentMemory: @escaping @Sendable () -> Int, defers: Bool = true
    ) {
        self.engineOptions = engineOptions
        self.lanes = lanes
        self.observer = observer
        self.residentMemory = residentMemory
        self.defers = defers
        growth = MemoryGrowth(residentMemory: residentMemory)
    }

    /// Loads a model and runs it on a warm-up photo on every lane. Blocks for 0.1 s to many seconds.
    ///
    /// - Parameters:
    ///   - findsFeatures: whether the model gets an output `features` that it does not declare.
    ///   - shared: replaces the model's own network for pictures, which is then not compiled for them.
    /// - Throws: `RecognitionError.brokenModel(name:fault:reason:)`, or `RecognitionError.noFeatures(_:reason:)`.
    func load(
        _ entry: ModelStore.Entry, findsFeatures: Bool = false, shared: TrainedHeadEngine? = nil
    ) throws(RecognitionError) -> LoadedModel {
        var manifest = entry.manifest
        let measurement = growth.begin()
        var isMeasured = false
        defer { if !isMeasured { growth.end(measurement) } }
        var size = try check(entry.path, against: manifest.sha256, of: manifest)
        var checksums = [manifest.sha256]
        if let binary = entry.binaryPath, let checksum = manifest.weightsSHA256 {
            size += try check(binary, against: checksum, of: manifest)
            checksums.append(checksum)
        }
        for (path, checksum) in zip(entry.cascadePaths, manifest.cascade?.digests ?? []) {
            size += try check(path, against: checksum, of: manifest)
        }
        do throws(RecognitionError) {
            let weights: ModelWeights
            if findsFeatures {
                weights = .onnx(try entry.withFeatures())
                checksums.append(ONNXFeatures.output)
                manifest.outputs[ONNXFeatures.output] = "found before the classifier"
            } else {
                weights = try ModelWeights.open(entry.path, binary: entry.binaryPath)
            }
            let make: @Sendable (InputForm) throws(RecognitionError) -> any InferenceEngine = {
                [self, checksums, manifest] form throws(RecognitionError) in
                let first = try OpenVINOEngine(
                    weights: weights, checksums: checksums, input: manifest.input, form: form,
                    outputs: manifest.outputTensors, options: options(manifest.precision))
                try Self.warmUp(first, form)
                guard let cascade = manifest.cascade else { return first }
                return try self.cascade(cascade, behind: first, of: manifest, files: entry.cascadePaths, form: form)
            }
            let engine: any InferenceEngine = if let shared { shared } else { try make(.picture) }
            let answers = engine.outputSizes.reduce(0, +)
            guard answers <= ModelBounds.answers else {
                throw .engine(
                    "\(ModelBoundsError.tooMany("numbers in its answer", answers, most: ModelBounds.answers))")
            }
            let tensors = DeferredEngine(
                like: engine, outputs: engine.outputNames, inputSize: InputForm.tensor.bytes(manifest.input),
                residentMemory: residentMemory
            ) { () throws(RecognitionError) in try make(.tensor) }
            isMeasured = true
            return try LoadedModel(
                manifest: manifest, engine: engine, tensors: manifest.input.type == .f32 ? tensors : nil,
                memory: max(shared == nil ? size : 0, growth.end(measurement)),
                classMeans: entry.trainedHead?.head.classMeans, lanes: lanes, observer: observer)
        } catch {
            if case .engine(let reason) = error {
                throw .brokenModel(name: manifest.name, fault: .network, reason: reason)
            }
            throw error
        }
    }

    /// - Parameter files: the paths of the cascade's files, in their order.
    private func cascade(
        _ cascade: ModelManifest.Cascade, behind first: any InferenceEngine, of manifest: ModelManifest,
        files: [String], form: InputForm
    ) throws(RecognitionError) -> CascadeEngine {
        func engine(
            _ number: Int, outputs: [String], precision: ModelManifest.Precision?, lanes: Int
        ) throws(RecognitionError) -> DeferredEngine {
            let (file, digest) = (files[number], cascade.digests[number])
            let engine = DeferredEngine(like: first, outputs: outputs, residentMemory: residentMemory) {
                () throws(RecognitionError) in
                // The file may have been replaced since the model was loaded.
                _ = try check(file, against: digest, of: manifest)
                var options = options(precision)
                options.savesMemory = true
                options.lanes = lanes
                let engine = try OpenVINOEngine(
                    weights: ModelWeights.open(file), checksums: [digest], input: manifest.input, form: form,
                    outputs: outputs, options: options)
                try Self.warmUp(engine, form)
                return engine
            }
            if !defers { try engine.prepare() }
            return engine
        }
        let second = try engine(0, outputs: cascade.outputs, precision: cascade.precision, lanes: first.lanes)
        var specialists: [String: any InferenceEngine] = [:]
        for (number, entry) in cascade.specialistsByHead.enumerated() {
            // Specialists are asked so seldom that two lanes share one of theirs. Each takes 12 MB.
            specialists[entry.key] = try engine(
                number + 1, outputs: [entry.key], precision: entry.value.precision, lanes: (first.lanes + 1) / 2)
        }
        return try CascadeEngine(
            first: first, second: second, specialists: specialists, manifest: manifest, cascade: cascade, form: form)
    }

    /// The operator's options. The manifest chooses the arithmetic if the operator leaves it open.
    private func options(_ precision: ModelManifest.Precision?) -> EngineOptions {
        var options = engineOptions
        if options.precision == .automatic { options.precision = precision ?? .f32 }
        return options
    }

    /// - Returns: the size of the file in bytes.
    private func check(
        _ path: String, against checksum: String, of manifest: ModelManifest
    ) throws(RecognitionError) -> Int {
        guard let weights = try? FileSystem.load(path, limit: ModelBounds.fileBytes) else {
            throw .brokenModel(name: manifest.name, fault: .files, reason: "\(path) cannot be read")
        }
        let found = ContentDigest(of: weights).hexadecimal
        guard found == checksum.lowercased() else {
            throw .brokenModel(
                name: manifest.name, fault: .digest,
                reason: "\(path) has SHA-256 \(found), the manifest says \(checksum)")
        }
        return weights.count
    }

    /// Runs the network once on every lane and checks that the outputs for a picture are finite. Kernels and memory are
    /// then ready before the first photo. As a tensor the same bytes are no picture, so their outputs prove nothing.
    private static func warmUp(_ engine: any InferenceEngine, _ form: InputForm) throws(RecognitionError) {
        let photo = [UInt8](repeating: 128, count: engine.inputSize)
        for lane in 0..<engine.lanes {
            let output = try engine.infer(photo, lane: lane)
            guard form == .tensor || output.values.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
                throw .engine("the answer to the warm-up photo is not finite")
            }
        }
    }
}

extension ModelStore.Entry {
    /// The network as an ONNX file with an output `features`.
    ///
    /// - Throws: `RecognitionError.noFeatures(_:reason:)`.
    package func withFeatures() throws(RecognitionError) -> [UInt8] {
        do {
            return try ModelWeights.withFeatures(
                path, before: manifest.heads.sorted { $0.key < $1.key }.map { $0.value.output ?? $0.key })
        } catch {
            guard case .engine(let reason) = error else { throw error }
            throw .noFeatures(manifest.name, reason: reason)
        }
    }
}

/// The physical memory of a process.
package enum ResidentMemory {
    /// The bytes of this process. 0 if the system does not tell.
    package static var bytes: Int { bytes(of: "self") }

    /// The second number of /proc/PID/statm (proc_pid_statm(5)), which counts pages of 4, 16 or 64 KiB, depending on
    /// the kernel.
    ///
    /// - Parameter process: the id of the process, or `self`.
    static func bytes(of process: String, pageSize: Int = sysconf(Int32(_SC_PAGESIZE))) -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/statm"),
            let text = String(bytes: data, encoding: .utf8)
        else { return 0 }
        return bytes(statm: text, pageSize: pageSize)
    }

    static func bytes(statm text: String, pageSize: Int) -> Int {
        let words = text.split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]), pages >= 0 else { return 0 }
        let (bytes, isTooMany) = pages.multipliedReportingOverflow(by: pageSize)
        return isTooMany ? 0 : bytes
    }
}
