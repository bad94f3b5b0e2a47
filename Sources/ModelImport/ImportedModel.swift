/// A model read from another framework's file: bytes that OpenVINO runs, and the data for its manifest.
package struct ImportedModel: Sendable {
    /// The order in which the network takes the colours of a pixel.
    package enum ChannelOrder: String, Sendable {
        case rgb, bgr, greyscale

        package var count: Int { self == .greyscale ? 1 : 3 }
    }

    /// The picture that the network takes: float32, 1×C×height×width (N×C×height×width, see ``acceptsBatches``).
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
        /// Whether the first dimension is free. False if a layer of the network mixes the pictures of a batch.
        package let acceptsBatches: Bool
    }

    /// A result of the network, float32.
    package struct Output: Sendable, Equatable {
        package let name: String
        /// The shape for one picture. The first dimension is the batch if the input accepts batches.
        package let shape: [Int]
    }

    /// The thresholds of a detector whose file ends in non-maximum suppression. Our own code suppresses the boxes.
    package struct Suppression: Sendable, Equatable {
        /// The largest overlap of two separate boxes, 0…1. Beyond it, one of them is dropped.
        package let intersectionOverUnion: Double
        /// The least confidence of a box that is kept, 0…1.
        package let confidence: Double
        /// Whether boxes only suppress boxes of the same class.
        package let isPerClass: Bool
        /// The output with each box's class confidences, boxes × classes.
        package let confidenceOutput: String
        /// The output with the boxes, boxes × 4: centre x, centre y, width, height, each 0…1.
        package let coordinatesOutput: String
    }

    /// An ONNX file.
    package let onnx: [UInt8]
    package let input: Input
    package let outputs: [Output]
    /// The names in the order of the network's class scores. Empty if the model names no classes.
    package let labels: [String]
    /// The output with one probability for each label, 1×classes. Nil if the model does not classify.
    package let probabilitiesOutput: String?
    package let suppression: Suppression?
    /// The licence that the file names. Empty if it names none.
    package let licence: String
}
