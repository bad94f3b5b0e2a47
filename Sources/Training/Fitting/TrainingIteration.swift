/// How far a fit was after an iteration.
package struct TrainingIteration: Codable, Sendable, Equatable {
    /// Counted from 1.
    package let iteration: Int
    /// Of the training photos, as it is minimised.
    package let loss: Double
    /// 0…1.
    package let trainingAccuracy: Double
    /// 0…1; nil where nothing is held out.
    package let validationAccuracy: Double?
}
