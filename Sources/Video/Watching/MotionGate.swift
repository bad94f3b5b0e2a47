import Imaging

/// Detects motion cheaply, so that an empty yard needs no recognition. It compares the brightness of a coarse grid with
/// the recent brightness. A pure value.
///
/// A change everywhere at once, such as a cloud or an adapting camera, is not motion.
struct MotionGate {
    private static let columns = 64
    private static let rows = 36
    /// The least change of a cell beyond the change of all cells, in levels of 255.
    private static let change: Float = 12
    /// The fewest changed cells: an animal is larger than a leaf.
    private static let least = 3
    /// The share of a difference that remains at the next picture. The empty place where an animal stood fades by it.
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

    /// Takes the next picture.
    ///
    /// - Returns: whether something moves. True for the first picture and for one of another size.
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

    /// The mean of some green values of each cell, 0…255. Green is most of the brightness.
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
