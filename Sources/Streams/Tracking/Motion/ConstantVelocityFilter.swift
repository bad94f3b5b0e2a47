/// A Kalman filter of one coordinate that moves at a velocity which changes little (R. E. Kalman 1960; the white-noise
/// acceleration model of Bar-Shalom, "Estimation with Applications to Tracking and Navigation", §6.2).
///
/// The noise of a box's four coordinates is independent, so that its eight-dimensional filter is four of these.
struct ConstantVelocityFilter: Sendable, Equatable {
    /// Best guess of the coordinate, and of its change in a second.
    private(set) var position: Double
    private(set) var velocity = 0.0
    /// Variances of both, and their covariance.
    private(set) var positionVariance: Double
    private var covariance = 0.0
    private var velocityVariance: Double

    /// - Parameters:
    ///   - position: as it was observed first.
    ///   - deviation: standard deviation of that.
    ///   - velocityDeviation: standard deviation of a velocity of which nothing is known.
    init(position: Double, deviation: Double, velocityDeviation: Double) {
        self.position = position
        positionVariance = deviation * deviation
        velocityVariance = velocityDeviation * velocityDeviation
    }

    /// Lets time pass.
    ///
    /// - Parameters:
    ///   - seconds: how long, not negative.
    ///   - drift: variance that the position gains in a second by itself.
    ///   - acceleration: variance that the velocity gains in a second.
    mutating func predict(seconds: Double, drift: Double, acceleration: Double) {
        position += velocity * seconds
        positionVariance +=
            seconds * (2 * covariance + seconds * velocityVariance) + drift * seconds
            + acceleration * seconds * seconds * seconds / 3
        covariance += seconds * velocityVariance + acceleration * seconds * seconds / 2
        velocityVariance += acceleration * seconds
    }

    /// Takes an observation in.
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

    /// Forgets that it moves, as something does that nobody has seen for a while.
    mutating func rest() { velocity = 0 }
}
