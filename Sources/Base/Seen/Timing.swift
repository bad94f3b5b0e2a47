/// Where the time of an answer went.
package struct Timing: Codable, Hashable, Sendable {
    /// Milliseconds of decoding, of waiting for a lane and of the network.
    package var decode, queue, inference: Double
    /// How many photos shared the inference.
    package var batchSize: Int
    /// Milliseconds of the inference that the second network of a cascade took; nil where it was not asked.
    package var secondStage: Double?

    package init(decode: Double, queue: Double, inference: Double, batchSize: Int, secondStage: Double? = nil) {
        self.decode = decode
        self.queue = queue
        self.inference = inference
        self.batchSize = batchSize
        self.secondStage = secondStage
    }

    /// The times of two pieces of work of which one came after the other.
    package func adding(_ other: Timing) -> Timing {
        Timing(
            decode: decode + other.decode, queue: queue + other.queue, inference: inference + other.inference,
            batchSize: max(batchSize, other.batchSize),
            secondStage: [secondStage, other.secondStage].compactMap(\.self).reduce(nil) { ($0 ?? 0) + $1 })
    }

    /// To the hundredth of a millisecond.
    package var rounded: Timing {
        func rounded(_ milliseconds: Double) -> Double { (milliseconds * 100).rounded() / 100 }
        return Timing(
            decode: rounded(decode), queue: rounded(queue), inference: rounded(inference), batchSize: batchSize,
            secondStage: secondStage.map(rounded))
    }

    private enum CodingKeys: String, CodingKey {
        case decode = "decode_ms"
        case queue = "queue_ms"
        case inference = "inference_ms"
        case batchSize = "batch_size"
        case secondStage = "second_stage_ms"
    }
}
