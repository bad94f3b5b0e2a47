/// The two matrix products that take most of the time of a fit: features by weights, and features by errors. Features
/// are scaled tile by tile.
struct SoftmaxKernels: Sendable {
    /// The number of rows in a tile. Each weight that is read serves all of them.
    static let rowTile = 8
    /// The number of features in a tile. Their scaled values fit into the processor's nearest cache.
    static let columnTile = 256
    /// The number of rows whose errors are added to the gradient before it is written back.
    private static let gradientRows = 16

    let features: FeatureMatrix
    let scaling: FeatureScaling
    /// The length of a row of logits, a multiple of four.
    let stride: Int

    /// Writes the logits of some rows. `target` is rows × stride.
    func writeLogits(of rows: Range<Int>, _ point: [Double], to target: UnsafeMutableBufferPointer<Double>) {
        let columns = features.columns
        let tile = UnsafeMutablePointer<Double>.allocate(capacity: Self.rowTile * Self.columnTile)
        let sums = UnsafeMutablePointer<Double>.allocate(capacity: Self.rowTile * stride)
        defer {
            tile.deallocate()
            sums.deallocate()
        }
        point.withUnsafeBufferPointer { point in
            guard let weights = UnsafeRawPointer(point.baseAddress) else { return }
            for first in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: Self.rowTile) {
                let count = min(Self.rowTile, rows.upperBound - first)
                for row in 0..<Self.rowTile {
                    for index in 0..<stride { sums[row * stride + index] = point[columns * stride + index] }
                }
                for column in Swift.stride(from: 0, to: columns, by: Self.columnTile) {
                    let width = min(Self.columnTile, columns - column)
                    scale(first..<first + count, column..<column + width, of: Self.rowTile, into: tile)
                    for lane in Swift.stride(from: 0, to: stride, by: 4) {
                        addProducts(tile, weights + (column * stride + lane) * 8, width: width, to: sums + lane)
                    }
                }
                for row in 0..<count {
                    for index in 0..<stride { target[(first + row) * stride + index] = sums[row * stride + index] }
                }
            }
        }
    }

    /// Handles eight rows by four classes at a time, so that the factors of a weight are in registers.
    private func addProducts(
        _ tile: UnsafePointer<Double>, _ weights: UnsafeRawPointer, width: Int, to sums: UnsafeMutablePointer<Double>
    ) {
        let place = UnsafeMutableRawPointer(sums)
        let (row, step) = (stride * 8, Self.columnTile)
        var (s0, s1) = (Self.load(place), Self.load(place + row))
        var (s2, s3) = (Self.load(place + 2 * row), Self.load(place + 3 * row))
        var (s4, s5) = (Self.load(place + 4 * row), Self.load(place + 5 * row))
        var (s6, s7) = (Self.load(place + 6 * row), Self.load(place + 7 * row))
        for column in 0..<width {
            let weight = Self.load(weights + column * row)
            s0 += weight * tile[column]
            s1 += weight * tile[step + column]
            s2 += weight * tile[2 * step + column]
            s3 += weight * tile[3 * step + column]
            s4 += weight * tile[4 * step + column]
            s5 += weight * tile[5 * step + column]
            s6 += weight * tile[6 * step + column]
            s7 += weight * tile[7 * step + column]
        }
        for (index, sum) in [s0, s1, s2, s3, s4, s5, s6, s7].enumerated() { Self.store(sum, place + index * row) }
    }

    /// Adds `Σ feature × error` over all rows for some features. `gradient` has the layout of the parameters.
    func addGradient(of range: Range<Int>, _ errors: [Double], to gradient: UnsafeMutableBufferPointer<Double>) {
        let rows = features.rows
        let tile = UnsafeMutablePointer<Double>.allocate(capacity: Self.gradientRows * Self.columnTile)
        defer { tile.deallocate() }
        errors.withUnsafeBufferPointer { errors in
            guard let errors = UnsafeRawPointer(errors.baseAddress),
                let gradient = UnsafeMutableRawPointer(gradient.baseAddress)
            else { return }
            for column in Swift.stride(from: range.lowerBound, to: range.upperBound, by: Self.columnTile) {
                let width = min(Self.columnTile, range.upperBound - column)
                for first in Swift.stride(from: 0, to: rows, by: Self.gradientRows) {
                    let count = min(Self.gradientRows, rows - first)
                    scale(first..<first + count, column..<column + width, of: Self.gradientRows, into: tile)
                    for lane in Swift.stride(from: 0, to: stride, by: 4) {
                        let errors = errors + (first * stride + lane) * 8
                        let target = gradient + (column * stride + lane) * 8
                        let whole = width & ~7
                        for place in Swift.stride(from: 0, to: whole, by: 8) {
                            addEight(tile + place, errors, rows: count, to: target + place * stride * 8)
                        }
                        for place in whole..<width {
                            addOne(tile + place, errors, rows: count, to: target + place * stride * 8)
                        }
                    }
                }
            }
        }
    }

    private func addEight(
        _ tile: UnsafePointer<Double>, _ errors: UnsafeRawPointer, rows: Int, to target: UnsafeMutableRawPointer
    ) {
        let step = stride * 8
        var (s0, s1) = (Self.load(target), Self.load(target + step))
        var (s2, s3) = (Self.load(target + 2 * step), Self.load(target + 3 * step))
        var (s4, s5) = (Self.load(target + 4 * step), Self.load(target + 5 * step))
        var (s6, s7) = (Self.load(target + 6 * step), Self.load(target + 7 * step))
        for row in 0..<rows {
            let error = Self.load(errors + row * step)
            let values = tile + row * Self.columnTile
            s0 += error * values[0]
            s1 += error * values[1]
            s2 += error * values[2]
            s3 += error * values[3]
            s4 += error * values[4]
            s5 += error * values[5]
            s6 += error * values[6]
            s7 += error * values[7]
        }
        for (index, sum) in [s0, s1, s2, s3, s4, s5, s6, s7].enumerated() { Self.store(sum, target + index * step) }
    }

    private func addOne(
        _ tile: UnsafePointer<Double>, _ errors: UnsafeRawPointer, rows: Int, to target: UnsafeMutableRawPointer
    ) {
        var sum = Self.load(target)
        for row in 0..<rows { sum += Self.load(errors + row * stride * 8) * tile[row * Self.columnTile] }
        Self.store(sum, target)
    }

    /// Writes the scaled features of some rows, `columnTile` apart. Rows up to `height` that do not exist become zero.
    private func scale(
        _ rows: Range<Int>, _ columns: Range<Int>, of height: Int, into tile: UnsafeMutablePointer<Double>
    ) {
        features.values.withUnsafeBufferPointer { values in
            scaling.mean.withUnsafeBufferPointer { mean in
                let factor = scaling.factor
                for row in 0..<height {
                    let target = tile + row * Self.columnTile
                    guard row < rows.count else {
                        for place in 0..<columns.count { target[place] = 0 }
                        continue
                    }
                    let start = (rows.lowerBound + row) * features.columns + columns.lowerBound
                    for place in 0..<columns.count {
                        target[place] = (Double(values[start + place]) - mean[columns.lowerBound + place]) * factor
                    }
                }
            }
        }
    }

    private static func load(_ place: UnsafeRawPointer) -> SIMD4<Double> {
        place.loadUnaligned(as: SIMD4<Double>.self)
    }

    private static func store(_ value: SIMD4<Double>, _ place: UnsafeMutableRawPointer) {
        place.storeBytes(of: value, as: SIMD4<Double>.self)
    }
}
