import Imaging
package import Recognition

/// A point or region that the user wants named for the rest of the stream.
package struct Tap: Sendable, Equatable {
    /// The client's id for the tap.
    package let id: String
    /// In fractions of the upright picture.
    package let x: Double
    package let y: Double
    /// 0 for a point.
    package let width: Double
    package let height: Double

    package init(id: String, x: Double, y: Double, width: Double = 0, height: Double = 0) {
        self.id = id
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var isPoint: Bool { width <= 0 || height <= 0 }

    /// The track under the tap: for a point, the smallest box around it; for a region, the box with the largest
    /// overlap.
    package func track(among objects: [TrackedObject]) -> TrackedObject? {
        guard !isPoint else {
            let around = objects.filter { $0.box.touches(x: x, y: y) }
            return around.min { ($0.box.area, $0.track) < ($1.box.area, $1.track) }
        }
        let region = PictureRegion(x: x, y: y, width: width, height: height)
        let best = objects.max { $0.box.overlap(with: region) < $1.box.overlap(with: region) }
        return best.flatMap { $0.box.overlap(with: region) >= 0.3 ? $0 : nil }
    }
}

/// The current label of a tap.
package struct TapLabel: Sendable {
    package let id: String
    /// The point, or the centre of the region, in fractions of the upright picture.
    package let x: Double
    package let y: Double
    /// Nil if nothing there has a name, or before the first result.
    package let name: RegionName?
    /// Whether the place was classified and nothing there has a name.
    package let isNothing: Bool
    /// The track that the tap follows. Nil if it marks a place.
    package let track: Int?
    /// Whether the track is in sight in this frame. True for a place.
    package let isInSight: Bool
}
