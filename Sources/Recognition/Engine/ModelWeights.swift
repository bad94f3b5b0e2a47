import Base
import COpenVINO
import CSystemCalls
package import ModelImport

/// A network in the form that the engine takes.
package enum ModelWeights: Sendable {
    /// A file that OpenVINO reads itself. `binary` is the `.bin` of an IR if its name differs from the `.xml`.
    case file(path: String, binary: String? = nil)
    /// An ONNX file in memory.
    case onnx([UInt8])
    /// An ONNX file whose weights are to become floating point.
    case quantised(ONNXDequantisation)

    /// Opens a model file. A Core ML file is translated.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - binary: the `.bin` of an IR. Nil looks beside the file.
    /// - Throws: ``RecognitionError/engine(_:)`` that says why the file is unusable, such as layers without a
    ///   translation.
    package static func open(_ path: String, binary: String? = nil) throws(RecognitionError) -> ModelWeights {
        guard let format = ModelFormat(fileName: path) else {
            throw .engine("\(path) is no \(ModelFormat.endings)")
        }
        guard format == .coreml else { return .file(path: path, binary: binary) }
        return .onnx(try coreML(path).onnx)
    }

    /// A network as an ONNX file with an output `features`, which trained heads can use.
    ///
    /// - Parameter outputs: the outputs of its heads.
    /// - Throws: ``RecognitionError/engine(_:)`` that says why there are no features.
    package static func withFeatures(_ path: String, before outputs: [String]) throws(RecognitionError) -> [UInt8] {
        let onnx: [UInt8]
        switch ModelFormat(fileName: path) {
        case .onnx: onnx = try bytes(of: path)
        case .coreml: onnx = try coreML(path).onnx
        default: throw .engine("it is neither ONNX nor Core ML")
        }
        do {
            return try ONNXFeatures.adding(to: onnx, before: outputs)
        } catch {
            throw .engine(error.description)
        }
    }

    /// Translates a Core ML file.
    package static func coreML(_ path: String) throws(RecognitionError) -> ImportedModel {
        let bytes = try bytes(of: path)
        do {
            return try CoreMLModel(parsing: bytes).convert()
        } catch {
            throw .engine(error.description)
        }
    }

    private static func bytes(of path: String) throws(RecognitionError) -> [UInt8] {
        guard let bytes = try? FileSystem.load(path, limit: .max) else { throw .engine("\(path) cannot be read") }
        return bytes
    }

    /// Whether parts of the network, and activations among them, may be in int8. Each is false only if that is certain.
    /// Weights alone are stored in 8 bits with DequantizeLinear. TensorFlow Lite's small files are not checked.
    var mayBeInt8: (parts: Bool, activations: Bool) {
        let file: [UInt8]?
        switch self {
        case .file(let path, _): file = ModelFormat(fileName: path) == .tflite ? nil : try? Self.bytes(of: path)
        case .onnx(let bytes): file = bytes
        case .quantised: return (false, false)
        }
        guard let file else { return (true, true) }
        func names(_ operation: String) -> Bool {
            file.withUnsafeBytes {
                menagerie_memmem($0.baseAddress, $0.count, operation, operation.utf8.count) != nil
            }
        }
        // Operations of ONNX (QLinearConv, ConvInteger), OpenVINO IR and TensorFlow.
        let activations = ["QuantizeLinear", "QLinear", "Integer", "FakeQuant"].contains(where: names)
        return (activations || names("DequantizeLinear"), activations)
    }

    /// Whether int8 arithmetic computes the network without loss on a processor that lacks VNNI: it is ONNX, and its
    /// weights have seven bits. Weights of eight bits need ``Processor/sumsBytesExactly``.
    var fitsSevenBits: Bool {
        guard case .quantised(let file) = dequantised else { return false }
        return (try? file.fitsSevenBits()) ?? false
    }

    /// The same network with its quantised weights in floating point. Nil for formats other than ONNX, and for forms
    /// that ``ONNXDequantisation`` does not support.
    var dequantised: ModelWeights? { onnx.flatMap { ONNXDequantisation($0) }.map { .quantised($0) } }

    /// The same network for int8 arithmetic without VNNI: see ``ONNXLinearLayers``.
    var withConvolutions: ModelWeights {
        onnx.flatMap { ONNXLinearLayers($0) }.map { .onnx($0.asConvolutions()) } ?? self
    }

    /// The bytes of an ONNX file. Nil for other formats, and for what is to become floating point.
    private var onnx: [UInt8]? {
        switch self {
        case .file(let path, _):
            guard ModelFormat(fileName: path) == .onnx else { return nil }
            return try? Self.bytes(of: path)
        case .onnx(let bytes): return bytes
        case .quantised: return nil
        }
    }

    /// Makes OpenVINO read the network.
    func read(with core: OpenVINOHandle) throws(RecognitionError) -> OpenVINOHandle {
        switch self {
        case .file(let path, let binary):
            return try OpenVINOHandle("read \(path)", free: { ov_model_free($0) }) { out in
                ov_core_read_model(core.pointer, path, binary, out)
            }
        case .onnx(let bytes):
            return try Self.read(bytes, with: core)
        case .quantised(let file):
            let bytes: [UInt8]
            do {
                bytes = try file.onnx()
            } catch {
                throw .engine(error.description)
            }
            return try Self.read(bytes, with: core)
        }
    }

    /// - Parameter bytes: an ONNX file.
    private static func read(_ bytes: [UInt8], with core: OpenVINOHandle) throws(RecognitionError) -> OpenVINOHandle {
        try OpenVINOHandle("read the model", free: { ov_model_free($0) }) { out in
            bytes.withUnsafeBytes { buffer in
                ov_core_read_model_from_memory_buffer(
                    core.pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, nil, out)
            }
        }
    }
}
