import Imaging

/// Parts of a photo that a detector looks at more closely, so that it finds what is small.
///
/// A network of 416 pixels sees a thing of 40 pixels in a photo of 2,000 as 8; in one of 2 × 2 tiles as 15.
package enum Tiling {
    /// Share of a tile that its neighbour shows too: what is smaller lies whole in one of them.
    static let overlap = 0.25

    /// Tiles along each side at most: 16 and the whole photo cost as much as 17 photos.
    package static let maximumCount = 4

    /// The whole photo and then the tiles, row by row.
    ///
    /// - Parameter count: tiles along each side; 1 for the whole photo alone.
    static func regions(_ count: Int) -> [PictureRegion] {
        guard count > 1 else { return [.whole] }
        let side = 1 / (Double(count) - Double(count - 1) * overlap)
        let starts = (0..<count).map { $0 == count - 1 ? 1 - side : Double($0) * side * (1 - overlap) }
        let tiles = starts.flatMap { y in
            starts.map { PictureRegion(x: $0, y: y, width: side, height: side) }
        }
        return [.whole] + tiles
    }

    /// Whether a box ends where its tile does, though the photo goes on: it is then cut off, and what it shows part of
    /// is seen whole in another tile or in the photo.
    static func isCut(_ box: PictureRegion, by tile: PictureRegion) -> Bool {
        let slack = 0.01 * tile.width
        return (tile.x > 0 && box.x < tile.x + slack) || (tile.y > 0 && box.y < tile.y + slack)
            || (tile.right < 1 - 1e-9 && box.right > tile.right - slack)
            || (tile.bottom < 1 - 1e-9 && box.bottom > tile.bottom - slack)
    }
}
