/// A value that passes between layers.
struct CoreMLBlob: Sendable, Equatable {
    /// Its name in the ONNX graph.
    let value: String
    /// For one picture. Networks of the old, rank-5 kind have (sequence · batch, C, H, W) here: their first two
    /// dimensions are one, which is what every layer that computes on pictures makes of them anyway.
    let shape: [Int]
    /// Whether the first dimension (1 here) is the batch's size at run time.
    let hasBatch: Bool

    var rank: Int { shape.count }
}
