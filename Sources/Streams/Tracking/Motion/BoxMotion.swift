import Imaging

/// The motion of a box: one filter for its centre and one for its size, along each axis.
///
/// Noise is a share of the box's size, as in ByteTrack, but per second instead of per frame. The constants equal
/// ByteTrack's at 30 frames per second.
struct BoxMotion: Sendable, Equatable {
    /// The standard deviation of an observation, as a share of the box's length along the axis.
    private static let observation = 1.0 / 20
    /// The variance that a position gains per second, as a share of the squared length: (1/20)² per frame.
    private static let drift = 30.0 / 400
    /// The variance that a velocity gains per second, as a share of the squared length: (30/160)² per frame.
    private static let acceleration = 30.0 * (30.0 / 160) * (30.0 / 160)
    /// The standard deviation of an unknown velocity, in lengths per second. It is larger than ByteTrack's, since an
    /// animal close to the camera covers several of its lengths per second.
    private static let velocity = 8.0
    /// The standard deviation of an unknown rate of growth, in lengths per second.
    private static let growth = 1.0

    private var x, y, width, height: ConstantVelocityFilter
    private var seconds: Double

    /// - Parameter seconds: the time of the observation.
    init(_ box: PictureRegion, seconds: Double) {
        func filter(_ position: Double, _ extent: Double, _ velocity: Double) -> ConstantVelocityFilter {
            ConstantVelocityFilter(
                position: position, deviation: 2 * Self.observation * extent, velocityDeviation: velocity * extent)
        }
        x = filter(box.centreX, box.width, Self.velocity)
        y = filter(box.centreY, box.height, Self.velocity)
        width = filter(box.width, box.width, Self.growth)
        height = filter(box.height, box.height, Self.growth)
        self.seconds = seconds
    }

    var box: PictureRegion {
        PictureRegion(
            x: x.position - width.position / 2, y: y.position - height.position / 2, width: width.position,
            height: height.position)
    }

    /// Advances to the time of a frame. An earlier time changes nothing.
    ///
    /// - Parameter isLost: whether the object was out of sight in the last frame. Its size then stays the same.
    mutating func predict(untilSeconds now: Double, isLost: Bool) {
        let elapsed = now - seconds
        guard elapsed > 0 else { return }
        seconds = now
        if isLost {
            width.rest()
            height.rest()
        }
        let (across, down) = (width.position * width.position, height.position * height.position)
        x.predict(seconds: elapsed, drift: Self.drift * across, acceleration: Self.acceleration * across)
        y.predict(seconds: elapsed, drift: Self.drift * down, acceleration: Self.acceleration * down)
        // A box that shrank to nothing would match no observation.
        let (leastWidth, leastHeight) = (width.position / 2, height.position / 2)
        width.predict(seconds: elapsed, drift: Self.drift * across, acceleration: Self.acceleration * across / 16)
        height.predict(seconds: elapsed, drift: Self.drift * down, acceleration: Self.acceleration * down / 16)
        if width.position < leastWidth { width.rest(at: leastWidth) }
        if height.position < leastHeight { height.rest(at: leastHeight) }
    }

    /// Adds an observation at the predicted time.
    mutating func update(with box: PictureRegion) {
        let (across, down) = (Self.observation * width.position, Self.observation * height.position)
        x.update(with: box.centreX, deviation: across)
        y.update(with: box.centreY, deviation: down)
        width.update(with: box.width, deviation: across)
        height.update(with: box.height, deviation: down)
        if width.position <= 0 { width.rest(at: box.width) }
        if height.position <= 0 { height.rest(at: box.height) }
    }
}

extension ConstantVelocityFilter {
    /// Stops at a known position.
    fileprivate mutating func rest(at position: Double) {
        self = ConstantVelocityFilter(position: position, deviation: position / 10, velocityDeviation: position)
    }
}
