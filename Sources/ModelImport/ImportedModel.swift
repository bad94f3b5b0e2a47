/// A model read from another framework's file: bytes that OpenVINO runs, and what its manifest says.
package struct ImportedModel: Sendable {
    /// In which order the network takes the colours of a pixel.
    package enum ChannelOrder: String, Sendable {
        case rgb, bgr, greyscale

        /// 1 or 3.
        package var count: Int { self == .greyscale ? 1 : 3 }
    }

    /// The picture that the network takes: float32, 1×C×height×width (N×C×height×width, see ``acceptsBatches``).
    package struct Input: Sendable, Equatable {
        package let name: String
        /// In pixels.
        package let width: Int
        package let height: Int
        package let channels: ChannelOrder
        /// The network's input is `scale * pixel + biases[channel]` for pixels of 0…255.
        package let scale: Float
        /// One for each channel, in the order of ``channels``.
        package let biases: [Float]
        /// Whether the first dimension is free; false when a layer of the network mixes the pictures of a batch.
        package let acceptsBatches: Bool
    }

    /// A result of the network, float32.
    package struct Output: Sendable, Equatable {
        package let name: String
        /// Row-major, for one picture: the first dimension is the batch's size where the input accepts batches.
        package let shape: [Int]
    }

    /// What the file says of itself; empty where it says nothing.
    package struct Metadata: Sendable, Equatable {
        package let author: String
        package let licence: String
        package let description: String
        package let version: String
        package let userDefined: [String: String]
    }

    /// Thresholds of a detector whose file ends in non-maximum suppression: the boxes are suppressed by our own code.
    package struct Suppression: Sendable, Equatable {
        /// Boxes that overlap more than this are one, 0…1.
        package let intersectionOverUnion: Double
        /// Boxes less sure than this are dropped, 0…1.
        package let confidence: Double
        /// Whether only boxes of the same class suppress one another.
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
    /// In the order of the network's class scores; empty when the model names no classes.
    package let labels: [String]
    /// The output that carries one probability for each label, 1×classes; nil when the model does not classify.
    package let probabilitiesOutput: String?
    package let suppression: Suppression?
    package let metadata: Metadata
}
