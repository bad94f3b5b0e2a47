import Base

/// A piece of a small picture, to be found in other pictures of that size.
///
/// The score is the correlation over the three channels together, where each point's weight is its share in the thing.
/// An even change of light does not matter, and a red ball does not match a blue one. −1…1, with 1 for equality.
package struct ColourPatch: Sendable {
    /// The largest number of compared points. More points do not improve the result.
    private static let points = 260

    private struct Point: Sendable {
        let x: Float
        let y: Float
        let weight: Float
        /// The deviations from the mean of the patch, times the weight.
        let red: Float
        let green: Float
        let blue: Float
    }

    /// The place of a patch: its upper left corner, which may lie between two pixels.
    package struct Match: Sendable, Equatable {
        package let left: Double
        package let top: Double
        /// The size of the match over that of the patch.
        package let scale: Double
        /// The correlation, −1…1.
        package let score: Double
    }

    /// The size in pixels.
    package let width: Int
    package let height: Int
    private let points: [Point]
    private let weight: Float
    private let energy: Float

    /// - Parameters:
    ///   - left: the left edge of the piece in pixels. The piece lies within the picture.
    ///   - weights: the share of each pixel in the thing, 0…1, row by row.
    /// - Returns: nil for a piece of one grey, which is found everywhere, or of fewer than three pixels across or down.
    package init?(_ picture: PixelBuffer, left: Int, top: Int, width: Int, height: Int, weights: [Float]) {
        guard width >= 3, height >= 3, left >= 0, top >= 0, left + width <= picture.width,
            top + height <= picture.height, weights.count == width * height
        else { return nil }
        let step = max(1, Int(clamping: (Double(width * height) / Double(Self.points)).squareRoot().rounded(.up)))
        var samples: [(x: Int, y: Int, weight: Float, colour: SIMD4<Float>)] = []
        for y in stride(from: min(step / 2, height - 1), to: height, by: step) {
            for x in stride(from: min(step / 2, width - 1), to: width, by: step) where weights[y * width + x] > 0.02 {
                let index = ((top + y) * picture.width + left + x) * 3
                let bytes = picture.bytes
                samples.append(
                    (
                        x, y, weights[y * width + x],
                        SIMD4(Float(bytes[index]), Float(bytes[index + 1]), Float(bytes[index + 2]), 0)
                    ))
            }
        }
        let weight = samples.reduce(0) { $0 + $1.weight }
        guard samples.count >= 6 else { return nil }
        let mean = samples.reduce(0) { $0 + $1.weight * $1.colour.sum() } / (3 * weight)
        var energy: Float = 0
        points = samples.map { sample in
            let deviation = sample.colour - SIMD4(mean, mean, mean, 0)
            energy += sample.weight * (deviation * deviation).sum()
            return Point(
                x: Float(sample.x), y: Float(sample.y), weight: sample.weight, red: sample.weight * deviation.x,
                green: sample.weight * deviation.y, blue: sample.weight * deviation.z)
        }
        guard energy / (3 * weight) >= 12 else { return nil }
        (self.width, self.height, self.weight, self.energy) = (width, height, weight, energy)
    }

    /// The place in a picture where the patch fits best.
    ///
    /// - Parameters:
    ///   - columns: the range of its left edge. Places where it leaves the picture are skipped.
    ///   - rows: the range of its upper edge.
    ///   - step: the pixels between two places of the first pass.
    ///   - isWanted: whether to try a place, given its corner and size.
    package func find(
        in picture: PixelBuffer, columns: ClosedRange<Int>, rows: ClosedRange<Int>, scale: Double, step: Int,
        isWanted: (_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> Bool = { _, _, _, _ in true }
    ) -> Match? {
        let (wide, high) = (
            Int(clamping: (Double(width) * scale).rounded()), Int(clamping: (Double(height) * scale).rounded())
        )
        let (right, bottom) = (picture.width - wide, picture.height - high)
        guard wide >= 3, high >= 3, right >= 0, bottom >= 0, columns.lowerBound <= right, rows.lowerBound <= bottom,
            columns.upperBound >= 0, rows.upperBound >= 0
        else { return nil }
        let across = max(0, columns.lowerBound)...max(0, min(right, columns.upperBound))
        let down = max(0, rows.lowerBound)...max(0, min(bottom, rows.upperBound))
        let offsets = points.map {
            (Int(clamping: ($0.y * Float(scale)).rounded()) * picture.width
                + Int(clamping: ($0.x * Float(scale)).rounded())) * 3
        }
        return picture.bytes.withUnsafeBufferPointer { bytes in
            func score(_ left: Int, _ top: Int) -> Float {
                similarity(bytes, at: (top * picture.width + left) * 3, offsets)
            }
            var best: (left: Int, top: Int, score: Float)?
            for top in stride(from: down.lowerBound, through: down.upperBound, by: step) {
                for left in stride(from: across.lowerBound, through: across.upperBound, by: step)
                where isWanted(left, top, wide, high) {
                    let value = score(left, top)
                    if value > best?.score ?? -2 { best = (left, top, value) }
                }
            }
            guard var best else { return nil }
            if step > 1 {
                let centre = best
                for top in max(down.lowerBound, centre.top - step + 1)...min(down.upperBound, centre.top + step - 1) {
                    for left in max(
                        across.lowerBound, centre.left - step + 1)...min(
                            across.upperBound, centre.left + step - 1)
                    {
                        let value = score(left, top)
                        if value > best.score { best = (left, top, value) }
                    }
                }
            }
            /// The maximum of a parabola through the place and its two neighbours, −½…½.
            func peak(_ before: Float?, _ after: Float?) -> Double {
                guard let before, let after else { return 0 }
                let bend = before - 2 * best.score + after
                return bend < 0 ? Double(min(max(0.5 * (before - after) / bend, -0.5), 0.5)) : 0
            }
            return Match(
                left: Double(best.left)
                    + peak(
                        best.left > 0 ? score(best.left - 1, best.top) : nil,
                        best.left < right ? score(best.left + 1, best.top) : nil),
                top: Double(best.top)
                    + peak(
                        best.top > 0 ? score(best.left, best.top - 1) : nil,
                        best.top < bottom ? score(best.left, best.top + 1) : nil),
                scale: scale, score: Double(best.score))
        }
    }

    private func similarity(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ offsets: [Int]) -> Float {
        var (shared, sum, squares): (Float, Float, Float) = (0, 0, 0)
        points.withUnsafeBufferPointer { points in
            offsets.withUnsafeBufferPointer { offsets in
                for index in 0..<points.count {
                    let place = start + offsets[index]
                    let (red, green, blue) = (Float(bytes[place]), Float(bytes[place + 1]), Float(bytes[place + 2]))
                    let point = points[index]
                    shared += point.red * red + point.green * green + point.blue * blue
                    sum += point.weight * (red + green + blue)
                    squares += point.weight * (red * red + green * green + blue * blue)
                }
            }
        }
        let rest = squares - sum * sum / (3 * weight)
        return rest > 3 * weight ? shared / (rest * energy).squareRoot() : 0
    }
}

extension PixelBuffer {
    /// The pixels around a point that have its colour, up to the edges of a thing of one colour. The mask is row by
    /// row. It is nil if they spread over a third of the picture, or are too few for a thing.
    ///
    /// - Parameters:
    ///   - column: the point's column in pixels.
    ///   - row: the point's row in pixels.
    package func alike(column: Int, row: Int) -> [Bool]? {
        for tolerance in [44, 30, 20] {
            var isPart = [Bool](repeating: false, count: width * height)
            func colour(_ index: Int) -> SIMD4<Int32> {
                SIMD4(Int32(bytes[index * 3]), Int32(bytes[index * 3 + 1]), Int32(bytes[index * 3 + 2]), 0)
            }
            func difference(_ one: SIMD4<Int32>, _ other: SIMD4<Int32>) -> Int {
                let way = one &- other
                return Int(max(abs(way.x), abs(way.y), abs(way.z)))
            }
            let start = min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)
            isPart[start] = true
            var (open, count, sum) = ([start], 1, colour(start))
            while let index = open.popLast() {
                let (x, y) = (index % width, index / width)
                for (across, down) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                    guard (0..<width).contains(x + across), (0..<height).contains(y + down) else { continue }
                    let next = (y + down) * width + x + across
                    guard !isPart[next] else { continue }
                    let (there, mean) = (colour(next), sum / Int32(count))
                    guard difference(there, mean) <= tolerance, difference(there, colour(index)) <= tolerance * 2 / 3
                    else { continue }
                    isPart[next] = true
                    (count, sum) = (count + 1, sum &+ there)
                    open.append(next)
                }
            }
            if count < 12 { return nil }
            if count * 3 < width * height { return isPart }
        }
        return nil
    }
}
