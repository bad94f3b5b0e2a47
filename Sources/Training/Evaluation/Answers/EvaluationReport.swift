/// The results of an evaluation, for files and tables.
package struct EvaluationReport: Sendable, Equatable, Codable {
    /// A photo that could not be measured, and the reason.
    package struct Failure: Sendable, Equatable, Codable {
        package let path: String
        package let reason: String
    }

    /// The measures of one head on the photos with a truth for it.
    package struct Head: Sendable, Equatable, Codable {
        package let name: String
        package let measures: HeadMeasures
    }

    /// How well the model recognises what it does not know.
    package struct Abstention: Sendable, Equatable, Codable {
        /// For known breeds against everything else. Nil if the model or the photos have only one kind.
        package let auroc: Double?
        /// The number of photos measured for ``auroc``.
        package let photos: Int
        /// The number of photos whose answering head has a truth.
        package let judged: Int
        /// The number of judged photos on which the model abstained.
        package let abstained: Int
        /// The number of the other judged photos with a right answer.
        package let answeredRight: Int

        private enum CodingKeys: String, CodingKey {
            case auroc, photos, judged, abstained
            case answeredRight = "answered_right"
        }
    }

    /// Mean times for a photo, in milliseconds.
    package struct Timing: Sendable, Equatable, Codable {
        package let decodeMilliseconds: Double
        package let inferenceMilliseconds: Double
        /// The duration of the whole evaluation divided by the number of photos. Several photos were in work at once.
        package let wallMilliseconds: Double
        /// The duration of the whole evaluation.
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
    /// The number of photos in the list.
    package let photos: Int
    package let failures: [Failure]
    /// In the order of answers. Heads without a photo that they should know are left out.
    package let heads: [Head]
    package let abstention: Abstention
    package let timing: Timing
}
