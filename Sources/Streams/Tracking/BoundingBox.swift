/// An upright rectangle in a picture. All boxes of a sequence share a unit: pixels, or fractions of the picture's
/// sides.
///
/// A `PictureRegion` is always in fractions and inside the picture. A predicted box may lie beyond the edges.
package struct BoundingBox: Sendable, Equatable, Hashable {
    /// The upper left corner.
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var centreX: Double { x + width / 2 }
    package var centreY: Double { y + height / 2 }
    package var area: Double { width * height }

    /// Whether it has an area and every number is finite.
    package var isValid: Bool {
        x.isFinite && y.isFinite && width.isFinite && height.isFinite && width > 0 && height > 0
    }

    /// Whether a point lies inside or on the edge.
    package func contains(x: Double, y: Double) -> Bool {
        x >= self.x && x <= self.x + width && y >= self.y && y <= self.y + height
    }

    /// The area of the intersection.
    package func intersection(with other: BoundingBox) -> Double {
        let across = min(x + width, other.x + other.width) - max(x, other.x)
        let down = min(y + height, other.y + other.height) - max(y, other.y)
        return across > 0 && down > 0 ? across * down : 0
    }

    /// Intersection over union, 0…1.
    package func overlap(with other: BoundingBox) -> Double {
        let shared = intersection(with: other)
        return shared > 0 ? shared / (area + other.area - shared) : 0
    }

    /// The distance of the centres, relative to the mean size of both boxes: 1 along an axis means that the boxes just
    /// touch.
    package func distance(to other: BoundingBox) -> Double {
        let across = (centreX - other.centreX) / ((width + other.width) / 2)
        let down = (centreY - other.centreY) / ((height + other.height) / 2)
        return (across * across + down * down).squareRoot()
    }

    /// Whether neither side is more than twice as long as the other box's.
    package func isOfSize(of other: BoundingBox) -> Bool {
        max(width, other.width) <= 2 * min(width, other.width)
            && max(height, other.height) <= 2 * min(height, other.height)
    }
}
