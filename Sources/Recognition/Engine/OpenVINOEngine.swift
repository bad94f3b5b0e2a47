import COpenVINO
import CSystemCalls
import Imaging

/// Options for running models with OpenVINO.
package struct EngineOptions: Sendable, Equatable {
    package var precision: ModelManifest.Precision
    /// The number of photos inferred at the same time, each on one thread.
    package var lanes: Int
    /// Whether little memory goes before speed. OpenVINO then does not compile chains of small operations into loops
    /// ("snippets"). In two lanes, ViT-Tiny takes 46 MB less so in int8, with 7 % more time, and 42 MB less in floating
    /// point, with the same time. With `precision` f32, a quantised network keeps its loops: the two round differently,
    /// and there the answers have to be Python's.
    package var savesMemory = false
    /// The folder for compiled models; see `CompiledModelFile`. Nil stores none.
    package var cacheDirectory: String?

    package init(precision: ModelManifest.Precision = .automatic, lanes: Int, cacheDirectory: String? = nil) {
        self.precision = precision
        self.lanes = max(1, lanes)
        self.cacheDirectory = cacheDirectory
    }
}

/// The form of a compiled network's input.
package enum InputForm: Sendable {
    /// RGB8, height × width × 3. The graph converts it to the network's input.
    case picture
    /// f32 in the network's own layout and scale.
    case tensor

    /// The size of one input in bytes.
    package func bytes(_ input: ModelManifest.Input) -> Int {
        switch self {
        case .picture: input.width * input.height * 3
        case .tensor: input.width * input.height * input.channels.count * MemoryLayout<Float>.size
        }
    }

    /// The mirror image of one input: left and right change places.
    func mirrored(_ bytes: [UInt8], _ input: ModelManifest.Input) -> [UInt8] {
        let values = input.layout == "NHWC" ? input.channels.count : 1
        return bytes.mirrored(width: input.width, stride: self == .picture ? 3 : values * MemoryLayout<Float>.size)
    }
}

extension EngineOptions {
    /// Whether a network is rounded as its file says but computed in floating point, because int8 arithmetic is not
    /// wanted, does not fit its activations, or would lose something on this processor.
    fileprivate func avoidsInt8(_ weights: ModelWeights) -> Bool {
        let int8 = weights.mayBeInt8
        guard int8.parts else { return false }
        return precision == .f32 || !int8.activations || !Processor.sumsBytesExactly && !weights.fitsSevenBits
    }

    /// The properties of OpenVINO's CPU device.
    ///
    /// - Parameters:
    ///   - streams: the number of photos that a compiled model infers at the same time.
    ///   - avoidsInt8: whether int8 arithmetic is switched off.
    func properties(streams: Int, avoidsInt8: Bool) -> [(key: String, value: String)] {
        var properties = [
            ("NUM_STREAMS", "\(streams)"), ("INFERENCE_NUM_THREADS", "\(streams)"),
            // Decoding shares the cores, and pinned streams would wait for theirs.
            ("ENABLE_CPU_PINNING", "NO"),
        ]
        if precision == .f32 || !Processor.gainsFromHalfPrecision {
            properties.append(("INFERENCE_PRECISION_HINT", "f32"))
        }
        if savesMemory && !(avoidsInt8 && precision == .f32) { properties.append(("SNIPPETS_MODE", "DISABLE")) }
        if avoidsInt8 { properties.append(("LP_TRANSFORMS_MODE", "NO")) }
        return properties
    }
}

/// OpenVINO's CPU device, with one infer request of batch 1 on one single-threaded stream for each lane.
///
/// If int8 arithmetic is off, the weights are converted to floating point here. OpenVINO 2026.4.1 would convert them in
/// all streams of a compiled model at once, and some streams then use unfinished results of others. On a busy machine,
/// 11 of 16 models with two streams gave random answers; with floating-point weights, none did. Formats that cannot be
/// converted here (TensorFlow Lite, OpenVINO's own) get a compiled model for each lane.
///
/// Measured for MobileNetV2 at 192 px on 2 cores with bf16 (ms per photo, wall and CPU): two lanes of batch 1 1.7 and
/// 3.2; dynamic batches of 8 over two threads 2.2 and 4.3, on one thread 3.0 and 3.0; f32 in two lanes 2.8 and 5.4.
/// Lanes of batch 1 are the fastest, hold one photo's activations each instead of a batch's, and make the answer
/// independent of the batch by construction.
///
/// `@unchecked Sendable`: everything except the requests and their tensors is immutable after the initialiser. The
/// protocol gives each lane to one thread at a time.
package final class OpenVINOEngine: InferenceEngine, @unchecked Sendable {
    package let outputNames: [String]
    package let outputSizes: [Int]
    package let outputShapes: [[Int]]
    package let inputSize: Int
    package let lanes: Int

    private let core: OpenVINOHandle
    private let requests: [Lane]

    private struct Lane {
        let request: OpenVINOHandle
        /// The request's own input tensor. It lives as long as the request.
        let input: OpenVINOHandle
        let inputBytes: UnsafeMutableRawPointer
    }

    /// Reads, adapts and compiles a model.
    ///
    /// - Parameters:
    ///   - weights: see ``ModelWeights/open(_:binary:)``.
    ///   - checksums: the SHA-256 of the model's files. A model without any is compiled again at each start.
    ///   - input: the network's declared input.
    ///   - form: for pictures, the conversion from RGB8 NHWC is compiled into the graph.
    ///   - outputs: tensor names, in the wanted order. All types become float32.
    package init(
        weights: ModelWeights, checksums: [String] = [], input: ModelManifest.Input,
        form: InputForm = .picture, outputs: [String], options: EngineOptions
    ) throws(RecognitionError) {
        let core = try OpenVINOHandle("start OpenVINO", free: { ov_core_free($0) }) { ov_core_create($0) }
        let avoidsInt8 = options.avoidsInt8(weights)
        let shareable = avoidsInt8 ? weights.dequantised : weights
        let streams = shareable == nil ? 1 : options.lanes
        let properties = options.properties(streams: streams, avoidsInt8: avoidsInt8)
        // The properties are set on the core, because an imported model takes no others.
        for (key, value) in properties {
            try OpenVINO.check("set \(key)", menagerie_core_set_property(core.pointer, "CPU", key, value))
        }
        let causes = checksums + ["\(input)", "\(form)"] + outputs + properties.map { "\($0.key)=\($0.value)" }
        let directory = checksums.isEmpty ? nil : options.cacheDirectory
        let kept = try directory.map { directory throws(RecognitionError) in
            try CompiledModelFile(directory: directory, core: core, causes: causes)
        }
        func build() throws(RecognitionError) -> OpenVINOHandle {
            let readable = shareable ?? weights
            let network = Processor.sumsBytesExactly ? readable : readable.withConvolutions
            let model = try PreprocessingGraph.attach(
                to: network.read(with: core), input: input, form: form, outputs: outputs)
            return try OpenVINOHandle("compile the model", free: { ov_compiled_model_free($0) }) { out in
                ov_core_compile_model_props(core.pointer, model.pointer, "CPU", 0, nil, out)
            }
        }
        func compile() throws(RecognitionError) -> OpenVINOHandle {
            if let compiled = kept?.read(with: core) { return compiled }
            do {
                let compiled = try build()
                guard let kept, kept.write(compiled) else { return compiled }
            }
            // What compilation leaves behind is larger than what the file gives: by 16 MB for int8 weights with two
            // towers. It is freed before the file is read, because it would leave gaps between what is kept.
            if let compiled = kept?.read(with: core) { return compiled }
            return try build()
        }
        self.core = core
        inputSize = form.bytes(input)
        lanes = options.lanes
        outputNames = outputs

        var requests: [Lane] = []
        for _ in 0..<(options.lanes / streams) {
            let compiled = try compile()
            for _ in 0..<streams { requests.append(try Self.lane(of: compiled, inputSize: inputSize)) }
        }
        self.requests = requests

        var sizes: [Int] = []
        var shapes: [[Int]] = []
        for name in outputs {
            let tensor = try Self.output(name, of: requests[0].request)
            var size = 0
            try OpenVINO.check("size of output \(name)", ov_tensor_get_size(tensor.pointer, &size))
            var type = F32
            try OpenVINO.check("type of output \(name)", ov_tensor_get_element_type(tensor.pointer, &type))
            guard type == F32 else { throw .engine("output \(name) is not float32") }
            sizes.append(size)
            // OpenVINO's C interface gives no shape for a scalar.
            shapes.append(size == 1 ? (try? Self.shape(of: tensor)) ?? [1] : try Self.shape(of: tensor))
        }
        outputSizes = sizes
        outputShapes = shapes
        // The compiler leaves much freed memory between what is kept.
        malloc_trim(0)
    }

    package func infer(_ photo: [UInt8], lane number: Int) throws(RecognitionError) -> ModelOutput {
        let lane = requests[number]
        guard photo.count == inputSize else {
            throw .engine("the network reads \(inputSize) bytes a photo, not \(photo.count)")
        }
        photo.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: lane.inputBytes, count: inputSize).copyMemory(from: $0)
        }
        try OpenVINO.check("infer", ov_infer_request_infer(lane.request.pointer))
        var values: [[Float]] = []
        values.reserveCapacity(outputNames.count)
        for (name, size) in zip(outputNames, outputSizes) {
            let tensor = try Self.output(name, of: lane.request)
            var count = 0
            try OpenVINO.check("size of output \(name)", ov_tensor_get_size(tensor.pointer, &count))
            guard count == size else { throw .engine("output \(name) has \(count) values where it had \(size)") }
            var data: UnsafeMutableRawPointer?
            try OpenVINO.check("output \(name)", ov_tensor_data(tensor.pointer, &data))
            guard let data else { throw .engine("output \(name) has no data") }
            values.append([Float](UnsafeBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: size)))
        }
        return ModelOutput(values: values)
    }

    private static func lane(of compiled: OpenVINOHandle, inputSize: Int) throws(RecognitionError) -> Lane {
        // The request uses the compiled model, whose memory must outlive it.
        let free: @Sendable (OpaquePointer) -> Void = { request in
            withExtendedLifetime(compiled) { ov_infer_request_free(request) }
        }
        let request = try OpenVINOHandle("create an infer request", free: free) { out in
            ov_compiled_model_create_infer_request(compiled.pointer, out)
        }
        let input = try OpenVINOHandle("input tensor", free: { ov_tensor_free($0) }) { out in
            ov_infer_request_get_input_tensor(request.pointer, out)
        }
        var bytes = 0
        try OpenVINO.check("size of the input", ov_tensor_get_byte_size(input.pointer, &bytes))
        guard bytes == inputSize else { throw .engine("the input has \(bytes) bytes where \(inputSize) were expected") }
        var data: UnsafeMutableRawPointer?
        try OpenVINO.check("input tensor", ov_tensor_data(input.pointer, &data))
        guard let data else { throw .engine("the input tensor has no data") }
        return Lane(request: request, input: input, inputBytes: data)
    }

    /// The shape without the leading 1 of a single photo.
    private static func shape(of tensor: OpenVINOHandle) throws(RecognitionError) -> [Int] {
        var shape = ov_shape_t()
        try OpenVINO.check("shape of an output", ov_tensor_get_shape(tensor.pointer, &shape))
        defer { ov_shape_free(&shape) }
        let sides = UnsafeBufferPointer(start: shape.dims, count: Int(shape.rank)).map(Int.init)
        return sides.count > 1 && sides[0] == 1 ? Array(sides.dropFirst()) : sides
    }

    private static func output(_ name: String, of request: OpenVINOHandle) throws(RecognitionError) -> OpenVINOHandle {
        try OpenVINOHandle("output \(name)", free: { ov_tensor_free($0) }) { out in
            ov_infer_request_get_tensor(request.pointer, name, out)
        }
    }
}
