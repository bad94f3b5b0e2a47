/// Decodes a JPEG at 1/8 of its size. Each pixel is the mean of an 8×8 block, which is its DC coefficient. All other
/// coefficients are skipped.
///
/// Grey and 4:4:4 pictures have the same bits as libjpeg-turbo's 1/8 decode. Subsampled colour is the mean of the whole
/// block, while libjpeg-turbo decodes it at 2/8. Luma is the same.
struct JPEGMeans {
    private let scan: JPEGScan
    private let width: Int
    private let height: Int

    /// - Returns: nil for files that only libjpeg-turbo reads, see ``JPEGScan``.
    init?(_ jpeg: [UInt8], header: JPEGHeader) {
        guard !header.isProgressive, let scan = JPEGScan(jpeg) else { return nil }
        self.scan = scan
        width = (header.width + 7) / 8
        height = (header.height + 7) / 8
    }

    /// A component during reading. It has the scan's tables without references, to avoid counting those per block.
    private struct Part {
        let dc: HuffmanTable.Pointers
        let ac: HuffmanTable.Pointers
        let quantiser: Int32
        let across: Int
        let down: Int
        /// The index of its first mean among all means.
        let start: Int
        let width: Int
        /// The DC coefficient of the block before.
        var prediction: Int32 = 0
    }

    /// The pixels as RGB, ⌈width/8⌉ × ⌈height/8⌉; nil if the bits are damaged.
    func pixels() -> [UInt8]? {
        let (across, down) = (scan.components[0].across, scan.components[0].down)
        let (columns, rows) = ((width + across - 1) / across, (height + down - 1) / down)
        let interval = scan.restartInterval == 0 ? columns * rows : scan.restartInterval
        guard scan.stretches.count == (columns * rows + interval - 1) / interval else { return nil }
        var parts: [Part] = []
        var count = 0
        for component in scan.components {
            parts.append(
                Part(
                    dc: component.dc.pointers, ac: component.ac.pointers, quantiser: component.quantiser,
                    across: component.across, down: component.down, start: count, width: columns * component.across))
            count += columns * component.across * rows * component.down
        }
        var isSound = true
        let levels = [UInt8](unsafeUninitializedCapacity: count) { levels, initialized in
            levels.initialize(repeating: 128)
            initialized = count
            for (index, stretch) in scan.stretches.enumerated() where isSound {
                let units = index * interval..<min((index + 1) * interval, columns * rows)
                isSound = read(units, columns: columns, from: stretch, parts, into: levels)
            }
        }
        guard isSound else { return nil }
        return parts.count == 1 ? grey(levels, parts[0]) : colour(levels, parts)
    }

    private func read(
        _ units: Range<Int>, columns: Int, from stretch: Range<Int>, _ parts: [Part],
        into levels: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        scan.bits.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return false }
            var parts = parts
            return parts.withUnsafeMutableBufferPointer { parts in
                var reader = BlockReader(base, bit: stretch.lowerBound * 8)
                var (row, column) = units.lowerBound.quotientAndRemainder(dividingBy: columns)
                for _ in units {
                    for index in parts.indices {
                        let part = parts[index]
                        var prediction = part.prediction
                        var place = part.start + row * part.down * part.width + column * part.across
                        for _ in 0..<part.down {
                            for x in 0..<part.across {
                                var difference: Int32 = 0
                                guard reader.block(part.dc, part.ac, difference: &difference) else { return false }
                                prediction &+= difference
                                levels[place + x] = Self.level(prediction &* part.quantiser)
                            }
                            place += part.width
                        }
                        parts[index].prediction = prediction
                    }
                    // One unit fits into the padding, but a second one might not.
                    guard reader.bit <= stretch.upperBound * 8 else { return false }
                    column += 1
                    if column == columns { (row, column) = (row + 1, 0) }
                }
                return true
            }
        }
    }

    /// The mean of a block (jidctred.c, `jpeg_idct_1x1`).
    @inline(__always)
    private static func level(_ coefficient: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, ((coefficient &+ 4) >> 3) &+ 128)))
    }

    private func grey(_ levels: [UInt8], _ plane: Part) -> [UInt8] {
        (0..<height).flatMap { row in
            levels[row * plane.width..<row * plane.width + width].flatMap { [$0, $0, $0] }
        }
    }

    /// Converts YCbCr to RGB (JFIF 1.02, in the fixed point of jdcolor.c).
    private func colour(_ levels: [UInt8], _ planes: [Part]) -> [UInt8] {
        let (across, down) = (planes[0].across, planes[0].down)
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        for row in 0..<height {
            var target = row * width * 3
            for column in 0..<width {
                let place = row / down * planes[1].width + column / across
                let luma = Int32(levels[row * planes[0].width + column])
                let blue = Int32(levels[planes[1].start + place]) - 128
                let red = Int32(levels[planes[2].start + place]) - 128
                pixels[target] = Self.clamped(luma + (91_881 * red + 32_768) >> 16)
                pixels[target + 1] = Self.clamped(luma + (-22_554 * blue - 46_802 * red + 32_768) >> 16)
                pixels[target + 2] = Self.clamped(luma + (116_130 * blue + 32_768) >> 16)
                target += 3
            }
        }
        return pixels
    }

    @inline(__always)
    private static func clamped(_ level: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, level))) }
}
