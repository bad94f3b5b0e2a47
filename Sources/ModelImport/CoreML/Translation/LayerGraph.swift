/// A value that passes between layers.
struct Blob: Sendable, Equatable {
    /// Its name in the ONNX graph.
    let value: String
    /// The shape for one picture. Rank-5 networks have (sequence · batch, C, H, W) here. Their first two dimensions are
    /// merged, as every layer that computes on pictures does anyway.
    let shape: [Int]
    /// Whether the first dimension (1 here) becomes the size of the batch at run time.
    let hasBatch: Bool

    var rank: Int { shape.count }
}

/// An ONNX graph that is built layer by layer, with the state that the translation of a layer needs.
///
/// Each translation has its own graph, which stays on one thread. Its extensions translate groups of similar layers.
/// The comments in `NeuralNetwork.proto` define what the layers compute.
final class LayerGraph {
    /// The message of a layer's own type.
    typealias Parameters = ProtocolBufferMessage

    /// Translates one layer from its parameters and inputs to its outputs. It throws only ``WireFormatError``, but the
    /// short closures in the tables cannot declare that.
    typealias Handler = @Sendable (LayerGraph, Parameters, [Blob]) throws -> [Blob]

    /// The most elements of one blob: 1 GiB of floats.
    static let maximumElements = 1 << 28
    /// Core ML's highest rank is 5. Two more dimensions are for intermediate results.
    static let maximumRank = 7

    var onnx = ONNXGraph()
    /// The values so far, by their names in the file.
    var blobs: [String: Blob] = [:]
    /// Whether blobs have the shapes that the file gives. Otherwise see ``Blob/shape``.
    let hasExactShapes: Bool
    /// False if a layer has mixed the pictures of a batch, or given the first dimension another meaning.
    private(set) var acceptsBatches = true
    /// The name of the layer being translated. It is the prefix of its nodes' names.
    private(set) var layerName = ""
    private var layerOffset = 0
    /// The number of results that the layer names.
    private(set) var outputCount = 0

    init(hasExactShapes: Bool) { self.hasExactShapes = hasExactShapes }

    /// Starts the translation of a layer.
    ///
    /// - Parameter offset: the position of its parameters in the file.
    func begin(_ layer: CoreMLLayer, offset: Int) {
        layerName = layer.name
        layerOffset = offset
        outputCount = layer.outputs.count
    }

    /// An error in the layer being translated.
    func failure(_ reason: String) -> WireFormatError {
        WireFormatError(offset: layerOffset, reason: reason)
    }

    /// Records that a layer reaches across the first dimension and would mix the pictures of a batch.
    func fixBatch() { acceptsBatches = false }
}
