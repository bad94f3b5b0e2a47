/// The supported formats of weights, by the ending of the file.
package enum ModelFormat: String, Sendable, CaseIterable {
    case onnx
    case tflite
    /// OpenVINO IR: `.xml`, with a `.bin` beside it.
    case openvino
    /// A TensorFlow frozen graph.
    case tensorflow
    /// Translated to ONNX in memory when it is loaded.
    case coreml

    /// Nil for any other file.
    package init?(fileName: String) {
        switch fileName.lowercased().split(separator: ".").last {
        case "onnx": self = .onnx
        case "tflite": self = .tflite
        case "xml": self = .openvino
        case "pb": self = .tensorflow
        case "mlmodel": self = .coreml
        default: return nil
        }
    }

    /// The endings, for messages.
    package static let endings = ".onnx, .tflite, .xml (with .bin), .pb or .mlmodel"
}
