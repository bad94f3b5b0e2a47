/// A value that passes between layers.
struct CoreMLBlob: Sendable, Equatable {
    /// Its name in the ONNX graph.
    let value: String
    /// The shape for one picture. Rank-5 networks have (sequence · batch, C, H, W) here. Their first two dimensions are
    /// merged, as every layer that computes on pictures does anyway.
    let shape: [Int]
    /// Whether the first dimension (1 here) becomes the size of the batch at run time.
    let hasBatch: Bool

    var rank: Int { shape.count }
}
