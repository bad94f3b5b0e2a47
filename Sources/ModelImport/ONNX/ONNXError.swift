/// The reason why an ONNX file cannot be used for its purpose.
package struct ONNXError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason as a clause that fits after "because".
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
