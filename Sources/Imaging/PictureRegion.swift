import Base

/// A rectangle in an upright picture, in fractions of its width and height. 0, 0 is the upper left corner. The place
/// that is predicted for an object may lie beyond the edges.
package struct PictureRegion: Sendable, Hashable, Codable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package static let whole = PictureRegion(x: 0, y: 0, width: 1, height: 1)

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Makes a region from its edges, each clipped to 0…1.
    package init(left: Double, top: Double, right: Double, bottom: Double) {
        let (left, top) = (min(max(left, 0), 1), min(max(top, 0), 1))
        self.init(x: left, y: top, width: max(0, min(right, 1) - left), height: max(0, min(bottom, 1) - top))
    }

    package var right: Double { x + width }
    package var bottom: Double { y + height }
    package var centreX: Double { x + width / 2 }
    package var centreY: Double { y + height / 2 }
    /// The share of the picture, 0…1.
    package var area: Double { width * height }

    /// The part inside the picture.
    package var clipped: PictureRegion { PictureRegion(left: x, top: y, right: right, bottom: bottom) }

    /// The region with four decimals.
    package var rounded4: PictureRegion {
        PictureRegion(x: x.rounded4, y: y.rounded4, width: width.rounded4, height: height.rounded4)
    }

    /// The area that both have in common, 0…1 of the picture.
    package func intersection(with other: PictureRegion) -> Double {
        let across = min(right, other.right) - max(x, other.x)
        let down = min(bottom, other.bottom) - max(y, other.y)
        return across > 0 && down > 0 ? across * down : 0
    }

    /// Intersection over union, 0…1; 0 for rectangles without area.
    package func overlap(with other: PictureRegion) -> Double {
        let both = intersection(with: other)
        return both > 0 ? both / (area + other.area - both) : 0
    }

    /// Whether a point is inside. The left and upper edges belong to the region.
    /// - Parameter x: a share of the width; `y` is one of the height.
    package func contains(x other: Double, y down: Double) -> Bool {
        other >= x && other < right && down >= y && down < bottom
    }

    /// The longer side in pixels, in a picture of this size.
    package func longerSide(inWidth width: Int, height: Int) -> Double {
        max(self.width * Double(width), self.height * Double(height))
    }

    /// A square around the region with a margin, to cut out of a picture. It moves inside the picture rather than
    /// shrink, and is cut only if the picture is too small.
    ///
    /// - Parameters:
    ///   - margin: the share of the longer side that is added at each end.
    ///   - width: the picture's width in pixels, because fractions of a wide picture do not make squares.
    ///   - height: the picture's height in pixels.
    package func square(margin: Double, inWidth width: Int, height: Int) -> PictureRegion {
        let (columns, rows) = (Double(width), Double(height))
        let side = max(longerSide(inWidth: width, height: height), 1) * (1 + 2 * margin)
        let (across, down) = (min(1, side / columns), min(1, side / rows))
        return PictureRegion(
            x: min(max(x + self.width / 2 - across / 2, 0), 1 - across),
            y: min(max(y + self.height / 2 - down / 2, 0), 1 - down), width: across, height: down)
    }
}
