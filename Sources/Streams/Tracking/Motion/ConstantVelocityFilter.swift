/// A Kalman filter for one coordinate with a nearly constant velocity (R. E. Kalman 1960; the white-noise acceleration
/// model of Bar-Shalom, "Estimation with Applications to Tracking and Navigation", §6.2).
///
/// The noise of a box's four coordinates is independent, so its eight-dimensional filter splits into four of these.
struct ConstantVelocityFilter: Sendable, Equatable {
    /// The estimated coordinate, and its change per second.
    private(set) var position: Double
    private(set) var velocity = 0.0
    /// The variances of both, and their covariance.
    private(set) var positionVariance: Double
    private var covariance = 0.0
    private var velocityVariance: Double

    /// - Parameters:
    ///   - position: the first observed position.
    ///   - deviation: its standard deviation.
    ///   - velocityDeviation: the standard deviation of the unknown velocity.
    init(position: Double, deviation: Double, velocityDeviation: Double) {
        self.position = position
        positionVariance = deviation * deviation
        velocityVariance = velocityDeviation * velocityDeviation
    }

    /// Advances the time.
    ///
    /// - Parameters:
    ///   - seconds: the elapsed time, not negative.
    ///   - drift: the variance that the position gains per second.
    ///   - acceleration: the variance that the velocity gains per second.
    mutating func predict(seconds: Double, drift: Double, acceleration: Double) {
        position += velocity * seconds
        positionVariance +=
            seconds * (2 * covariance + seconds * velocityVariance) + drift * seconds
            + acceleration * seconds * seconds * seconds / 3
        covariance += seconds * velocityVariance + acceleration * seconds * seconds / 2
        velocityVariance += acceleration * seconds
    }

    /// Adds an observation.
    ///
    /// - Parameter deviation: its standard deviation.
    mutating func update(with observed: Double, deviation: Double) {
        let gain = positionVariance / (positionVariance + deviation * deviation)
        let velocityGain = covariance / (positionVariance + deviation * deviation)
        let residual = observed - position
        position += gain * residual
        velocity += velocityGain * residual
        velocityVariance -= velocityGain * covariance
        covariance *= 1 - gain
        positionVariance *= 1 - gain
    }

    /// Forgets the velocity of an object that has been out of sight for a while.
    mutating func rest() { velocity = 0 }
}
