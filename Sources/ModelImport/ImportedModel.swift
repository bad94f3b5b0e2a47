/// A model read from another framework's file: bytes that OpenVINO runs, and the data for its manifest.
package struct ImportedModel: Sendable {
    /// The order in which the network takes the colours of a pixel.
    package enum ChannelOrder: String, Sendable {
        case rgb, bgr, greyscale

        package var count: Int { self == .greyscale ? 1 : 3 }
    }

    /// The picture that the network takes: float32, N×C×height×width, or 1×C×height×width if a layer mixes the
    /// pictures of a batch.
    package struct Input: Sendable, Equatable {
        package let name: String
        /// The size in pixels.
        package let width: Int
        package let height: Int
        package let channels: ChannelOrder
        /// The network's input is `scale * pixel + biases[channel]` for pixels of 0…255.
        package let scale: Float
        /// One bias for each channel, in the order of ``channels``.
        package let biases: [Float]
    }

    /// An ONNX file.
    package let onnx: [UInt8]
    package let input: Input
    /// The names in the order of the network's class scores. Empty if the model names no classes.
    package let labels: [String]
    /// The output with one probability for each label, 1×classes. Nil if the model does not classify.
    package let probabilitiesOutput: String?
    /// The licence that the file names. Empty if it names none.
    package let licence: String
}
