package import Imaging

/// Cuts a photo into tiles, so that a detector finds small objects.
///
/// In a network with an input of 416 pixels, an object of 40 pixels in a photo of 2,000 shrinks to 8. In one of 2 × 2
/// tiles it has 15.
package enum Tiling {
    /// The share of a tile that its neighbour shows too. A smaller object is whole in one of them.
    static let overlap = 0.25

    /// The largest requested number of tiles along each side. 16 tiles and the whole photo cost as much as 17 photos.
    package static let maximumCount = 4

    /// The largest number along each side that ``TileChoice/automatic`` takes.
    static let automaticMaximum = 5

    /// A photo is cut automatically if it exceeds the network's input by this factor. In smaller photos a tile would
    /// enlarge objects too little.
    static let largeFrom = 2.0

    /// The largest side of an automatic tile, relative to the network's input.
    static let largestTile = 1.25

    /// A box that covers this share of the photo is its main subject. Nobody then expects the tiny objects behind it.
    static let nearShare = 0.1

    /// The share of the usual least confidence from which a small object is looked at from closer.
    static let closerDoubt: Float = 0.2

    /// The margin around such an object, in its own longer sides, and its largest share of its view's sides.
    static let closerMargin = 1.0
    static let closerShare = 0.2

    /// The most squares that are looked at from closer.
    static let maximumCloser = 12

    /// The tiles for a photo, row by row. Empty if the whole photo suffices.
    ///
    /// - Parameters:
    ///   - width: the photo's width in pixels.
    ///   - height: the photo's height in pixels.
    ///   - side: the longer side of the network's input in pixels.
    package static func automatic(width: Int, height: Int, side: Int) -> [PictureRegion] {
        guard Double(max(width, height)) > largeFrom * Double(side) else { return [] }
        func count(_ length: Int) -> Int {
            (1...automaticMaximum).first { share(of: $0) * Double(length) <= largestTile * Double(side) }
                ?? automaticMaximum
        }
        return tiles(across: count(width), down: count(height))
    }

    /// The share of a side that one of several tiles covers.
    private static func share(of count: Int) -> Double { 1 / (Double(count) - Double(count - 1) * overlap) }

    private static func tiles(across: Int, down: Int) -> [PictureRegion] {
        func starts(_ count: Int) -> [Double] {
            let side = share(of: count)
            return (0..<count).map { $0 == count - 1 ? 1 - side : Double($0) * side * (1 - overlap) }
        }
        return starts(down).flatMap { y in
            starts(across).map { PictureRegion(x: $0, y: y, width: share(of: across), height: share(of: down)) }
        }
    }

    /// The whole photo and then the tiles, row by row.
    ///
    /// - Parameter count: the number of tiles along each side. 1 is only the whole photo.
    package static func regions(_ count: Int) -> [PictureRegion] {
        guard count > 1 else { return [.whole] }
        return [.whole] + tiles(across: count, down: count)
    }

    /// Squares around small objects that may be animals. There the network sees them larger. In tiles, something tiny
    /// that it takes for a telephone is often an animal.
    ///
    /// - Parameters:
    ///   - candidates: the candidates of all views.
    ///   - labels: the names of the classes.
    ///   - sure: the usual least confidence. Something surer with a name is not looked at again.
    ///   - views: the photo's parts by the number of the view.
    ///   - width: the photo's width in pixels.
    ///   - height: the photo's height in pixels.
    static func closer(
        at candidates: [NonMaximumSuppression.Candidate], labels: [String], sure: Float, in views: [PictureRegion],
        width: Int, height: Int
    ) -> [PictureRegion] {
        func isAnimal(_ candidate: NonMaximumSuppression.Candidate) -> Bool {
            Animals.labels.contains(labels[candidate.label])
        }
        func rank(_ candidate: NonMaximumSuppression.Candidate) -> Float {
            candidate.confidence + (isAnimal(candidate) ? 1 : 0)
        }
        var (seen, squares): ([PictureRegion], [PictureRegion]) = ([], [])
        for candidate in candidates.sorted(by: { rank($0) > rank($1) }) where squares.count < maximumCloser {
            let (region, view) = (candidate.region, views[candidate.view])
            guard candidate.confidence >= sure * closerDoubt, views.count > 1 || isAnimal(candidate),
                max(region.width / view.width, region.height / view.height) <= closerShare,
                seen.allSatisfy({ $0.intersection(with: region) < NonMaximumSuppression.containment * region.area })
            else { continue }
            if candidate.confidence >= sure, labels[candidate.label] != Animals.other {
                seen.append(region)
            } else {
                squares.append(region.square(margin: closerMargin, inWidth: width, height: height))
                seen.append(squares[squares.count - 1])
            }
        }
        return squares
    }

    /// Whether a tile's edge inside the photo cuts off the box. The whole object is then in another tile or in the
    /// whole photo.
    static func isCut(_ box: PictureRegion, by tile: PictureRegion) -> Bool {
        let (slackX, slackY) = (0.01 * tile.width, 0.01 * tile.height)
        return (tile.x > 0 && box.x < tile.x + slackX) || (tile.y > 0 && box.y < tile.y + slackY)
            || (tile.right < 1 - 1e-9 && box.right > tile.right - slackX)
            || (tile.bottom < 1 - 1e-9 && box.bottom > tile.bottom - slackY)
    }
}

/// The number of tiles that a detector examines; see ``Tiling``.
package enum TileChoice: Sendable, Equatable, ExpressibleByIntegerLiteral {
    /// As many as the photo's size requires. No tiles if the whole photo shows something large.
    case automatic
    /// This number along each side, from 1 (only the whole photo) to ``Tiling/maximumCount``.
    case along(Int)

    package init(integerLiteral value: Int) { self = .along(value) }
}
