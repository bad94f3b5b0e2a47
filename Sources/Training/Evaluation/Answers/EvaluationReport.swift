/// What an evaluation found, for files and tables.
package struct EvaluationReport: Sendable, Equatable, Codable {
    /// A photo that was not measured, and why.
    package struct Failure: Sendable, Equatable, Codable {
        package let path: String
        package let reason: String
    }

    /// How one head did on the photos that have a truth for it.
    package struct Head: Sendable, Equatable, Codable {
        package let name: String
        package let measures: HeadMeasures
    }

    /// Whether the model knows what it does not know.
    package struct Abstention: Sendable, Equatable, Codable {
        /// Of the score of a known breed against everything else; nil where the model or the photos have only one kind.
        package let auroc: Double?
        /// Photos that ``auroc`` was measured on.
        package let photos: Int
        /// Photos whose answering head has a truth.
        package let judged: Int
        /// How many of those the model abstained from.
        package let abstained: Int
        /// How many of the others it answered rightly.
        package let answeredRight: Int

        private enum CodingKeys: String, CodingKey {
            case auroc, photos, judged, abstained
            case answeredRight = "answered_right"
        }
    }

    /// Milliseconds a photo, mean.
    package struct Timing: Sendable, Equatable, Codable {
        package let decodeMilliseconds: Double
        package let inferenceMilliseconds: Double
        /// The whole evaluation's time divided by the photos, several of which were inside at a time.
        package let wallMilliseconds: Double
        /// Of the whole evaluation.
        package let seconds: Double

        private enum CodingKeys: String, CodingKey {
            case seconds
            case decodeMilliseconds = "decode_ms"
            case inferenceMilliseconds = "inference_ms"
            case wallMilliseconds = "wall_ms"
        }
    }

    package let model: String
    package let version: String
    /// Photos of the list.
    package let photos: Int
    package let failures: [Failure]
    /// In the order of answers; those that met a photo that they should know.
    package let heads: [Head]
    package let abstention: Abstention
    package let timing: Timing
}
