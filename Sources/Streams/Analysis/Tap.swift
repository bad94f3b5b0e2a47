package import Recognition

/// A point or a region that somebody wants named, and named again as long as the stream runs.
package struct Tap: Sendable, Equatable {
    /// The client's own name for it.
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

    /// The track that is meant: for a point the smallest box that it lies in, for a region the box that overlaps it most.
    package func track(among objects: [TrackedObject]) -> TrackedObject? {
        guard !isPoint else {
            let around = objects.filter { $0.box.contains(x: x, y: y) }
            return around.min { ($0.box.area, $0.track) < ($1.box.area, $1.track) }
        }
        let region = BoundingBox(x: x, y: y, width: width, height: height)
        let best = objects.max { $0.box.overlap(with: region) < $1.box.overlap(with: region) }
        return best.flatMap { $0.box.overlap(with: region) >= 0.3 ? $0 : nil }
    }
}

/// What lies under a tap now.
package struct TapLabel: Sendable {
    package let id: String
    /// Where it is now, in fractions of the upright picture: the point itself, or the middle of the region.
    package let x: Double
    package let y: Double
    /// What is there; nil while nobody knows, and where nothing is.
    package let name: RegionName?
    /// Whether it was looked at, and nothing that has a name is there.
    package let isNothing: Bool
    /// The track that it stays with; nil where it marks a place.
    package let track: Int?
    /// Whether that track is seen in this frame; true for a place.
    package let isInSight: Bool
}
