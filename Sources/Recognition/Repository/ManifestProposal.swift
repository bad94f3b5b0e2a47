import Base
import COpenVINO
import Imaging
package import ModelImport

/// A manifest derived from a model file.
package struct ManifestProposal: Codable, Sendable {
    package let manifest: ModelManifest
    /// Whether the file says how levels reach the network. Otherwise the notes list the assumptions.
    package let isSureOfInput: Bool

    /// Reads a model file, runs it on a picture of noise, and derives a manifest.
    ///
    /// - Parameters:
    ///   - path: a file of any ``ModelFormat``. A list of labels beside it (`<stem>.labels`, `<stem>_labels.txt`,
    ///     `<stem>.txt`, `labels.txt`) is used if its length fits.
    ///   - name: nil derives it from the file's name.
    /// - Throws: ``RecognitionError/engine(_:)``.
    package init(inspecting path: String, name: String? = nil, version: String = "1") throws(RecognitionError) {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        guard let data = try? FileSystem.load(path, limit: ModelBounds.fileBytes) else {
            throw .engine("\(path) cannot be read")
        }
        let checksum = ContentDigest(of: data).hexadecimal
        let folder =
            path.contains("/")
            ? path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/") : "."
        var notes: [String] = []
        let input: ModelManifest.Input
        var reader: HeadReader
        var licence: String?
        if ModelFormat(fileName: file) == .coreml {
            let model = try ModelWeights.coreML(path)
            input = ModelManifest.Input(model.input)
            reader = HeadReader(folder: folder, file: file, weights: .onnx(model.onnx), input: input)
            reader.labels = model.labels
            reader.probabilities = model.probabilitiesOutput
            licence = model.licence.isEmpty ? nil : model.licence
            isSureOfInput = true
        } else {
            let weights = try ModelWeights.open(path)
            let ports = try NetworkPorts(weights)
            guard ports.inputs.count == 1 else {
                throw .engine("the network has \(ports.inputs.count) inputs; one, a picture, can be served")
            }
            (input, notes) = try Self.input(of: ports.inputs[0])
            isSureOfInput = notes.isEmpty
            if let detector = DetectorReader(folder: folder, file: file, ports: ports) {
                let proposal = try detector.read(weights)
                manifest = ModelManifest(
                    name: name ?? Self.name(from: file), version: version, file: file, sha256: checksum,
                    task: .detection, input: proposal.input, heads: [:], detection: proposal.detection,
                    notes: proposal.notes)
                return
            }
            reader = HeadReader(folder: folder, file: file, weights: weights, input: input)
        }
        let results = try reader.read()
        manifest = ModelManifest(
            name: name ?? Self.name(from: file), version: version, file: file, sha256: checksum, task: results.task,
            input: input, heads: results.heads, outputs: results.outputs, licence: licence,
            notes: notes + results.notes)
    }

    /// Assumes float inputs as in the frameworks' own examples, from levels of 0…1. PyTorch's networks are NCHW and
    /// expect ImageNet's mean and deviation. TensorFlow's are NHWC and expect −1…1.
    private static func input(
        of port: NetworkPorts.Port
    ) throws(RecognitionError) -> (ModelManifest.Input, notes: [String]) {
        let shape = port.shape
        guard shape.count == 4 else { throw .engine("the input has \(shape.count) dimensions, a picture has 4") }
        let isPlanar = [1, 3].contains(shape[1]) || ![1, 3].contains(shape[3])
        let channels = isPlanar ? shape[1] : shape[3]
        guard channels == 3 || channels == 1 else { throw .engine("the input has neither 1 nor 3 channels") }
        var notes: [String] = []
        let sides = isPlanar ? [shape[2], shape[3]] : [shape[1], shape[2]]
        if sides.contains(nil) { notes.append("input.size: the network takes any size; 224×224 is assumed") }
        var type = ModelManifest.Input.ElementType.f32
        var (scale, mean, deviation): (String, [Float]?, [Float]?) = ("x", nil, nil)
        switch port.type {
        case UInt32(U8.rawValue): type = .u8
        case UInt32(I8.rawValue):
            type = .i8
            mean = [Float](repeating: 128, count: channels ?? 3)
        default:
            if channels == 1 {
                scale = "x/255"
            } else if isPlanar {
                scale = "x/255"
                (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
            } else {
                scale = "x/127.5-1"
            }
            notes.append(
                "input.scale, input.mean, input.std and input.channels are assumed: the file does not say them")
        }
        let input = ModelManifest.Input(
            name: port.name, layout: isPlanar ? "NCHW" : "NHWC", size: sides.map { $0 ?? 224 },
            channels: channels == 1 ? .greyscale : .rgb, type: type, scale: scale,
            channelMean: mean, channelDeviation: deviation, crop: .center)
        return (input, notes)
    }

    /// `MobileNet_v2.1.onnx` becomes `mobilenet_v2_1`.
    static func name(from file: String) -> String {
        let stem = file.split(separator: ".").dropLast().joined(separator: "_").lowercased()
        let name = String(stem.map { ModelReference.isName(String($0)) ? $0 : "_" }.prefix(128))
        return name.isEmpty ? "model" : name
    }
}

extension ModelManifest.Input {
    /// Converts a Core ML network's `scale * pixel + bias` to `(x − mean) / std`.
    package init(_ input: ImportedModel.Input) {
        let channels: Channels =
            switch input.channels {
            case .rgb: .rgb
            case .bgr: .bgr
            case .greyscale: .greyscale
            }
        let scale = input.scale == 0 ? 1 : input.scale
        self.init(
            name: input.name, layout: "NCHW", size: [input.height, input.width], channels: channels,
            channelMean: input.biases.map { -$0 / scale }, channelDeviation: input.biases.map { _ in 1 / scale },
            crop: .center)
    }
}

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
