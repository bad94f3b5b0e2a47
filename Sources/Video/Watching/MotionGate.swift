import Imaging

/// Tells cheaply whether anything moves, so that an empty yard is not looked at: the brightness of a coarse grid is
/// compared with what it was of late. A pure value.
///
/// What changes everywhere at once, such as the sun behind a cloud or a camera that adapts, is no motion.
struct MotionGate {
    private static let columns = 64
    private static let rows = 36
    /// Levels of 255 by which a cell has to change, beyond what all cells do.
    private static let change: Float = 12
    /// Cells that have to: an animal is more than a leaf.
    private static let least = 3
    /// What is left of a difference at the next picture: where an animal lay for long its trace is no motion for long.
    private static let memory: Float = 0.6

    private let isIgnored: [Bool]
    private var background: [Float] = []
    private var size = (width: 0, height: 0)

    init(ignoring regions: [PictureRegion] = []) {
        isIgnored = (0..<Self.rows * Self.columns).map { cell in
            let x = (Double(cell % Self.columns) + 0.5) / Double(Self.columns)
            let y = (Double(cell / Self.columns) + 0.5) / Double(Self.rows)
            return regions.contains { $0.contains(x: x, y: y) }
        }
    }

    /// Takes the next picture in.
    ///
    /// - Returns: whether something moves. The first picture, and one of another size, always does.
    mutating func moves(_ picture: PixelBuffer) -> Bool {
        let cells = Self.cells(picture)
        guard !background.isEmpty, size == (picture.width, picture.height) else {
            (background, size) = (cells, (picture.width, picture.height))
            return true
        }
        var shift: Float = 0
        var count: Float = 0
        for index in cells.indices where !isIgnored[index] {
            shift += cells[index] - background[index]
            count += 1
        }
        if count > 0 { shift /= count }
        var changed = 0
        for index in cells.indices {
            let difference = cells[index] - background[index]
            if !isIgnored[index], abs(difference - shift) > Self.change { changed += 1 }
            background[index] += difference * (1 - Self.memory)
        }
        return changed >= Self.least
    }

    /// Mean of some green values of each cell, 0…255: green is most of what is bright.
    private static func cells(_ picture: PixelBuffer) -> [Float] {
        let (width, height) = (picture.width, picture.height)
        return picture.bytes.withUnsafeBufferPointer { bytes in
            (0..<rows * columns).map { cell in
                let (column, row) = (cell % columns, cell / columns)
                var sum = 0
                for step in 0..<16 {
                    let x = min(width - 1, (column * 4 + step % 4) * width / (columns * 4))
                    let y = min(height - 1, (row * 4 + step / 4) * height / (rows * 4))
                    sum += Int(bytes[(y * width + x) * 3 + 1])
                }
                return Float(sum) / 16
            }
        }
    }
}
