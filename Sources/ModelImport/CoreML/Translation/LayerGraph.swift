/// An ONNX graph that is built layer by layer: the nodes so far, and what every layer's translation asks of them.
///
/// A translation has it to itself: it is shared by the groups of layers, and passed to no other thread.
final class LayerGraph {
    /// Elements of one blob: 1 GiB of floats.
    static let maximumElements = 1 << 28
    /// Core ML ends at rank 5; two more leave room for what a layer does in between.
    static let maximumRank = 7

    var onnx = ONNXGraph()
    /// Whether blobs have the shapes that the file gives; otherwise see ``CoreMLBlob/shape``.
    let hasExactShapes: Bool
    /// False once a layer has mixed the pictures of a batch, or given the first dimension another meaning.
    private(set) var acceptsBatches = true
    /// The layer being translated: its name is the prefix of the nodes' names.
    private(set) var layerName = ""
    private var layerOffset = 0
    /// How many results the layer being translated names.
    private(set) var outputCount = 0

    init(hasExactShapes: Bool) {
        self.hasExactShapes = hasExactShapes
    }

    /// What follows is of this layer.
    ///
    /// - Parameter offset: where its parameters begin in the file.
    func begin(_ layer: CoreMLLayer, offset: Int) {
        layerName = layer.name
        layerOffset = offset
        outputCount = layer.outputs.count
    }

    /// An error that says what is wrong with the layer being translated.
    func failure(_ reason: String) -> WireFormatError {
        WireFormatError(offset: layerOffset, reason: reason)
    }

    /// Notes that a layer reaches across the first dimension, so that a batch of more than one would be mixed.
    func fixBatch() {
        acceptsBatches = false
    }
}
