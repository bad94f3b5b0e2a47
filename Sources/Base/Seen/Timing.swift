/// The parts of the time that an answer took.
package struct Timing: Codable, Hashable, Sendable {
    /// The milliseconds of decoding, of waiting for a lane, and of the network.
    package var decode, queue, inference: Double
    /// The number of photos that shared the inference: 1 since a lane takes one photo at a time.
    package var batchSize: Int
    /// The milliseconds that the second network of a cascade took within the inference; nil if it did not run.
    package var secondStage: Double?

    package init(decode: Double, queue: Double, inference: Double, batchSize: Int = 1, secondStage: Double? = nil) {
        self.decode = decode
        self.queue = queue
        self.inference = inference
        self.batchSize = batchSize
        self.secondStage = secondStage
    }

    /// The sum of the times of two pieces of work that ran one after the other.
    package func adding(_ other: Timing) -> Timing {
        Timing(
            decode: decode + other.decode, queue: queue + other.queue, inference: inference + other.inference,
            batchSize: max(batchSize, other.batchSize),
            secondStage: [secondStage, other.secondStage].compactMap(\.self).reduce(nil) { ($0 ?? 0) + $1 })
    }

    /// The times to the hundredth of a millisecond.
    package var rounded: Timing {
        Timing(
            decode: decode.rounded2, queue: queue.rounded2, inference: inference.rounded2, batchSize: batchSize,
            secondStage: secondStage?.rounded2)
    }

    private enum CodingKeys: String, CodingKey {
        case decode = "decode_ms"
        case queue = "queue_ms"
        case inference = "inference_ms"
        case batchSize = "batch_size"
        case secondStage = "second_stage_ms"
    }
}
