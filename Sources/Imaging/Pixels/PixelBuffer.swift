import Base

/// An upright picture: 8-bit sRGB, interleaved R G B, rows top to bottom without padding.
package struct PixelBuffer: Sendable, Equatable {
    /// Columns, at least 1.
    package let width: Int
    /// Rows, at least 1.
    package let height: Int
    /// `height` × `width` × 3 bytes, each 0–255.
    package let bytes: [UInt8]

    /// - Precondition: `bytes.count == width * height * 3`.
    package init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(
            width > 0 && height > 0 && bytes.count == width * height * 3, "RGB8 needs width × height × 3 bytes")
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// The middle of the picture. A side that is too small is kept whole.
    package func centre(width wantedWidth: Int, height wantedHeight: Int) -> PixelBuffer {
        let (columns, rows) = (max(1, min(width, wantedWidth)), max(1, min(height, wantedHeight)))
        let (left, top) = ((width - columns) / 2, (height - rows) / 2)
        var cut: [UInt8] = []
        cut.reserveCapacity(columns * rows * 3)
        for row in top..<top + rows {
            let start = (row * width + left) * 3
            cut.append(contentsOf: bytes[start..<start + columns * 3])
        }
        return PixelBuffer(width: columns, height: rows, bytes: cut)
    }

    /// The mirror image: left and right change places.
    package func mirrored() -> PixelBuffer {
        PixelBuffer(width: width, height: height, bytes: bytes.mirrored(width: width, stride: 3))
    }
}

/// Variants of a picture, as another camera or another moment might have given them.
extension PixelBuffer {
    /// A softened picture. Each level becomes the mean of its neighbours, weighted 1 2 1 along both axes, twice.
    package func blurred() -> PixelBuffer { softened().softened() }

    /// The picture with each channel multiplied, as under another light.
    package func tinted(red: Float, green: Float, blue: Float) -> PixelBuffer {
        let gains = [red, green, blue]
        let tables = gains.map { gain in
            (0..<256).map { UInt8(clamping: min(max((Float($0) * gain).rounded(), 0), 255)) }
        }
        let tinted = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, filled in
            for place in stride(from: 0, to: bytes.count, by: 3) {
                for channel in 0..<3 { buffer[place + channel] = tables[channel][Int(bytes[place + channel])] }
            }
            filled = bytes.count
        }
        return PixelBuffer(width: width, height: height, bytes: tinted)
    }

    private func softened() -> PixelBuffer {
        var across = [UInt16](repeating: 0, count: bytes.count)
        for row in 0..<height {
            for column in 0..<width {
                let left = (row * width + max(0, column - 1)) * 3
                let middle = (row * width + column) * 3
                let right = (row * width + min(width - 1, column + 1)) * 3
                for channel in 0..<3 {
                    across[middle + channel] =
                        UInt16(bytes[left + channel]) + 2 * UInt16(bytes[middle + channel])
                        + UInt16(bytes[right + channel])
                }
            }
        }
        var soft = [UInt8](repeating: 0, count: bytes.count)
        let length = width * 3
        for row in 0..<height {
            let (above, below) = (max(0, row - 1) * length, min(height - 1, row + 1) * length)
            for place in 0..<length {
                let sum = across[above + place] + 2 * across[row * length + place] + across[below + place]
                soft[row * length + place] = UInt8((sum + 8) / 16)
            }
        }
        return PixelBuffer(width: width, height: height, bytes: soft)
    }
}

extension [UInt8] {
    /// The mirror image of rows without padding: left and right change places.
    ///
    /// - Parameters:
    ///   - width: the pixels of a row.
    ///   - stride: the bytes of a pixel.
    /// - Precondition: `count` is a multiple of `width` × `stride`.
    package func mirrored(width: Int, stride: Int) -> [UInt8] {
        let row = width * stride
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for start in Swift.stride(from: 0, to: count, by: row) {
                for left in Swift.stride(from: 0, to: row, by: stride) {
                    let (source, target) = (start + left, start + row - stride - left)
                    for byte in 0..<stride { buffer[target + byte] = self[source + byte] }
                }
            }
            filled = count
        }
    }
}
