/// How a box moves and grows: a filter for its centre and one for its size, along each axis.
///
/// Noise is a share of the box's own extent, as in ByteTrack, but by time instead of by frame: the shares below are those
/// of ByteTrack at 30 frames a second.
struct BoxMotion: Sendable, Equatable {
    /// Standard deviation of an observation, as a share of the extent along the axis.
    private static let observation = 1.0 / 20
    /// Variance that a position gains in a second, as a share of the squared extent: (1/20)² a frame.
    private static let drift = 30.0 / 400
    /// Variance that a velocity gains in a second, as a share of the squared extent: (30/160)² a frame.
    private static let acceleration = 30.0 * (30.0 / 160) * (30.0 / 160)
    /// Standard deviation of a velocity of which nothing is known, in extents a second. Wider than ByteTrack's, since what
    /// passes close by a camera crosses several of its lengths in a second.
    private static let velocity = 8.0
    /// Standard deviation of how fast a size changes, of which nothing is known.
    private static let growth = 1.0

    private var x, y, width, height: ConstantVelocityFilter
    private var seconds: Double

    /// - Parameter seconds: when the box was observed.
    init(_ box: BoundingBox, seconds: Double) {
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

    var box: BoundingBox {
        BoundingBox(
            x: x.position - width.position / 2, y: y.position - height.position / 2, width: width.position,
            height: height.position)
    }

    /// Lets time pass until a frame; one that lies before what is known changes nothing.
    ///
    /// - Parameter isLost: whether it was out of sight in the frame before; its size is then taken to stay.
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
        // A size that shrank to nothing would let no box match any more.
        let (leastWidth, leastHeight) = (width.position / 2, height.position / 2)
        width.predict(seconds: elapsed, drift: Self.drift * across, acceleration: Self.acceleration * across / 16)
        height.predict(seconds: elapsed, drift: Self.drift * down, acceleration: Self.acceleration * down / 16)
        if width.position < leastWidth { width.rest(at: leastWidth) }
        if height.position < leastHeight { height.rest(at: leastHeight) }
    }

    /// Takes an observation at the predicted time in.
    mutating func update(with box: BoundingBox) {
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
    /// Stands still at a position that is known for certain.
    fileprivate mutating func rest(at position: Double) {
        self = ConstantVelocityFilter(position: position, deviation: position / 10, velocityDeviation: position)
    }
}
