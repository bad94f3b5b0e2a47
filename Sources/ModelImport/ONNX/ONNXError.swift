/// Why an ONNX file cannot be used as it was meant to be.
package struct ONNXError: Error, Equatable, Sendable, CustomStringConvertible {
    /// In words that follow "because".
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
