/// A window of a resized picture: resize the whole to `width`×`height`, keep the window. Only what is kept is computed.
struct ResizePlan: Equatable {
    /// Size of the whole resized picture.
    var width: Int
    var height: Int
    /// The part that is kept.
    var columns: Range<Int>
    var rows: Range<Int>

    init(width: Int, height: Int, columns: Range<Int>, rows: Range<Int>) {
        self.width = width
        self.height = height
        self.columns = columns
        self.rows = rows
    }

    /// The whole picture.
    init(width: Int, height: Int) {
        self.init(width: width, height: height, columns: 0..<width, rows: 0..<height)
    }
}

/// Antialiased triangle resize of RGB8, rows first. Agrees with Pillow's `BILINEAR` within one level of 255.
enum Resampler {
    /// - Parameters:
    ///   - source: `sourceHeight` × `sourceWidth` × 3 bytes.
    ///   - spanWidth: how many source columns the picture covers; a reduced-size decode rounds its width up, so this
    ///     may end inside the last column.
    ///   - spanHeight: the same for rows.
    static func resize(
        _ source: UnsafeBufferPointer<UInt8>, width sourceWidth: Int, height sourceHeight: Int,
        spanWidth: Double, spanHeight: Double, plan: ResizePlan
    ) -> PixelBuffer {
        let down = FilterWeights(
            inputCount: sourceHeight, span: 0...spanHeight, outputCount: plan.height, outputs: plan.rows)
        let across = FilterWeights(
            inputCount: sourceWidth, span: 0...spanWidth, outputCount: plan.width, outputs: plan.columns)
        // Columns that no output reads are skipped in the first pass.
        let first = across.starts.min() ?? 0
        let last = zip(across.starts, across.counts).map { $0 + $1 }.max() ?? sourceWidth
        let rowBytes = (last - first) * 3
        let width = plan.columns.count
        let count = width * plan.rows.count * 3

        let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: rowBytes) { row in
                for output in 0..<plan.rows.count {
                    row.update(repeating: 0)
                    for tap in 0..<down.counts[output] {
                        let start = ((down.starts[output] + tap) * sourceWidth + first) * 3
                        accumulate(
                            UnsafeBufferPointer(rebasing: source[start..<start + rowBytes]), into: row,
                            weight: down.weights[down.offsets[output] + tap])
                    }
                    let targetRow = UnsafeMutableBufferPointer(
                        rebasing: target[output * width * 3..<(output + 1) * width * 3])
                    shrinkRow(UnsafeBufferPointer(row), firstColumn: first, by: across, into: targetRow)
                }
            }
            initialized = count
        }
        return PixelBuffer(width: width, height: plan.rows.count, bytes: bytes)
    }

    /// `row += source × weight`, written so that the compiler vectorises it.
    @inline(__always)
    private static func accumulate(
        _ source: UnsafeBufferPointer<UInt8>, into row: UnsafeMutableBufferPointer<Float>, weight: Float
    ) {
        guard let input = source.baseAddress, let output = row.baseAddress else { return }
        for index in 0..<source.count {
            output[index] += Float(input[index]) * weight
        }
    }

    /// One row of the second pass: weighted sums of whole pixels, rounded to the nearest level.
    private static func shrinkRow(
        _ row: UnsafeBufferPointer<Float>, firstColumn: Int, by filter: FilterWeights,
        into target: UnsafeMutableBufferPointer<UInt8>
    ) {
        filter.weights.withUnsafeBufferPointer { weights in
            for output in 0..<filter.starts.count {
                var pixel = (filter.starts[output] - firstColumn) * 3
                var red: Float = 0.5
                var green: Float = 0.5
                var blue: Float = 0.5
                for tap in filter.offsets[output]..<filter.offsets[output] + filter.counts[output] {
                    let weight = weights[tap]
                    red += row[pixel] * weight
                    green += row[pixel + 1] * weight
                    blue += row[pixel + 2] * weight
                    pixel += 3
                }
                target[output * 3] = level(red)
                target[output * 3 + 1] = level(green)
                target[output * 3 + 2] = level(blue)
            }
        }
    }

    /// Weights sum to 1 within float error, so the value lies in 0.5…255.5 but for that error.
    @inline(__always)
    private static func level(_ value: Float) -> UInt8 {
        UInt8(truncatingIfNeeded: Int32(max(0, min(255, value))))
    }
}
