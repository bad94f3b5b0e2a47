package import Imaging

/// Parts of a photo that a detector looks at more closely, so that it finds what is small.
///
/// A network of 416 pixels sees a thing of 40 pixels in a photo of 2,000 as 8; in one of 2 × 2 tiles as 15.
package enum Tiling {
    /// Share of a tile that its neighbour shows too: what is smaller lies whole in one of them.
    static let overlap = 0.25

    /// Tiles along each side at most: 16 and the whole photo cost as much as 17 photos.
    package static let maximumCount = 4

    /// Along each side that ``TileChoice/automatic`` takes at most.
    static let automaticMaximum = 5

    /// Sides of the network's picture that a photo has to exceed before it is cut into tiles by itself: below, what the
    /// tiles show is hardly larger than in the whole photo.
    static let largeFrom = 2.0

    /// Sides of the network's picture that a tile has at most, where the photo is cut by itself.
    static let largestTile = 1.25

    /// A box of this share of the photo is what the photo is about: nobody looks for what is far behind it by himself.
    static let nearShare = 0.1

    /// Tiles for a photo of a size, row by row; none where the whole photo suffices.
    ///
    /// - Parameters:
    ///   - width: of the photo, in pixels.
    ///   - height: of the photo, in pixels.
    ///   - side: of the network's picture, in pixels.
    package static func automatic(width: Int, height: Int, side: Int) -> [PictureRegion] {
        guard Double(max(width, height)) > largeFrom * Double(side) else { return [] }
        func count(_ length: Int) -> Int {
            (1...automaticMaximum).first { share(of: $0) * Double(length) <= largestTile * Double(side) }
                ?? automaticMaximum
        }
        return tiles(across: count(width), down: count(height))
    }

    /// The part of a side that one of so many tiles takes.
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
    /// - Parameter count: tiles along each side; 1 for the whole photo alone.
    package static func regions(_ count: Int) -> [PictureRegion] {
        guard count > 1 else { return [.whole] }
        return [.whole] + tiles(across: count, down: count)
    }

    /// Whether a box ends where its tile does, though the photo goes on: it is then cut off, and what it shows part of
    /// is seen whole in another tile or in the photo.
    static func isCut(_ box: PictureRegion, by tile: PictureRegion) -> Bool {
        let (slackX, slackY) = (0.01 * tile.width, 0.01 * tile.height)
        return (tile.x > 0 && box.x < tile.x + slackX) || (tile.y > 0 && box.y < tile.y + slackY)
            || (tile.right < 1 - 1e-9 && box.right > tile.right - slackX)
            || (tile.bottom < 1 - 1e-9 && box.bottom > tile.bottom - slackY)
    }
}
