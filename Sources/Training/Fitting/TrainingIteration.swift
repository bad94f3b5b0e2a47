/// The state of a fit after an iteration.
package struct TrainingIteration: Codable, Sendable, Equatable {
    /// The number of the iteration, from 1.
    package let iteration: Int
    /// The minimised loss of the training photos.
    package let loss: Double
    /// The accuracy on the training photos, 0…1.
    package let trainingAccuracy: Double
    /// The accuracy on the held-out photos, 0…1. Nil if there are none.
    package let validationAccuracy: Double?
}
