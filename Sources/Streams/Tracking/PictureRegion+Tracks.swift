package import Imaging

extension PictureRegion {
    /// Whether it has an area and every number is finite.
    var isValid: Bool {
        x.isFinite && y.isFinite && width.isFinite && height.isFinite && width > 0 && height > 0
    }

    /// Whether a point lies inside or on an edge.
    func touches(x: Double, y: Double) -> Bool {
        x >= self.x && x <= right && y >= self.y && y <= bottom
    }

    /// The distance of the centres, relative to the mean size of both boxes: 1 along an axis means that the boxes just
    /// touch.
    package func distance(to other: PictureRegion) -> Double {
        let across = (centreX - other.centreX) / ((width + other.width) / 2)
        let down = (centreY - other.centreY) / ((height + other.height) / 2)
        return (across * across + down * down).squareRoot()
    }

    /// Whether neither side is more than twice as long as the other box's.
    package func isOfSize(of other: PictureRegion) -> Bool {
        max(width, other.width) <= 2 * min(width, other.width)
            && max(height, other.height) <= 2 * min(height, other.height)
    }
}
