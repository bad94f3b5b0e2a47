/// The state of a fit after an iteration.
package struct TrainingIteration: Codable, Sendable, Equatable {
    /// Counted from 1.
    package let iteration: Int
    /// The minimised loss of the training photos.
    package let loss: Double
    /// 0…1.
    package let trainingAccuracy: Double
    /// 0…1. Nil without held-out photos.
    package let validationAccuracy: Double?
}
