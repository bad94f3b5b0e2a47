import Glibc

/// A hash of 64 bits that hardly changes when a picture is scaled, compressed or slightly brightened. Each bit tells
/// whether one of the lowest spatial frequencies is above their median (Zauner 2010, Implementation and Benchmarking of
/// Perceptual Image Hash Functions, §3.2.1).
package struct PerceptualHash: Hashable, Sendable {
    /// The side of the grey picture that is transformed, in pixels.
    private static let side = 32
    /// The number of frequencies along each axis, without the lowest, which is the mean.
    private static let frequencies = 8

    package let bits: UInt64

    package init(bits: UInt64) { self.bits = bits }

    /// - Parameter rgb: `height` × `width` × 3 levels.
    package init(width: Int, height: Int, rgb: [UInt8]) {
        let grey = Self.shrink(width: width, height: height, rgb)
        let cosines = Self.cosines
        let (side, frequencies) = (Self.side, Self.frequencies)
        var rows = [Double](repeating: 0, count: side * frequencies)
        for row in 0..<side {
            for frequency in 0..<frequencies {
                var sum = 0.0
                for column in 0..<side { sum += grey[row * side + column] * cosines[frequency * side + column] }
                rows[row * frequencies + frequency] = sum
            }
        }
        var values: [Double] = []
        for vertical in 0..<frequencies {
            for horizontal in 0..<frequencies {
                var sum = 0.0
                for row in 0..<side { sum += rows[row * frequencies + horizontal] * cosines[vertical * side + row] }
                values.append(sum)
            }
        }
        let sorted = values.sorted()
        let median = (sorted[31] + sorted[32]) / 2
        bits = values.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }

    /// The number of differing bits, 0…64. Unrelated pictures differ in 32 on average.
    package func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

    /// cos(π/side · (n + ½) · k), row by row for k = 1 … frequencies.
    private static let cosines: [Double] = (1...frequencies).flatMap { frequency in
        (0..<side).map { cos(Double.pi / Double(side) * (Double($0) + 0.5) * Double(frequency)) }
    }

    /// The mean luminance of each square of a grid.
    private static func shrink(width: Int, height: Int, _ rgb: [UInt8]) -> [Double] {
        rgb.withUnsafeBufferPointer { rgb in
            (0..<side * side).map { cell in
                let (row, column) = (cell / side, cell % side)
                let rows = row * height / side..<max(row * height / side + 1, (row + 1) * height / side)
                let columns = column * width / side..<max(column * width / side + 1, (column + 1) * width / side)
                var sum = 0
                for y in rows {
                    for x in columns {
                        let place = (y * width + x) * 3
                        sum += 299 * Int(rgb[place]) + 587 * Int(rgb[place + 1]) + 114 * Int(rgb[place + 2])
                    }
                }
                return Double(sum) / Double(rows.count * columns.count)
            }
        }
    }
}

/// Groups photos that are nearly the same.
package enum NearDuplicates {
    /// The most differing bits of two photos that count as the same picture, scaled or compressed again.
    package static let maximumDistance = 6

    /// The group of each photo: the index of the group's first photo. Groups are transitive.
    package static func groups(of hashes: [PerceptualHash]) -> [Int] {
        var parents = Array(hashes.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index {
                parents[index] = parents[parents[index]]
                index = parents[index]
            }
            return index
        }
        for left in hashes.indices {
            for right in hashes.indices[(left + 1)...]
            where hashes[left].distance(to: hashes[right]) <= maximumDistance {
                let (first, second) = (root(left), root(right))
                parents[max(first, second)] = min(first, second)
            }
        }
        return parents.indices.map(root)
    }
}
