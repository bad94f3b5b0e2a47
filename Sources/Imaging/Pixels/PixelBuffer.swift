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

    /// A picture of one grey, for the warm-up photo and tests.
    package init(width: Int, height: Int, grey: UInt8) {
        self.init(width: width, height: height, bytes: [UInt8](repeating: grey, count: width * height * 3))
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
        let row = width * 3
        let swapped = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, filled in
            for start in stride(from: 0, to: bytes.count, by: row) {
                for column in 0..<width {
                    let (source, target) = (start + column * 3, start + (width - 1 - column) * 3)
                    for channel in 0..<3 { buffer[target + channel] = bytes[source + channel] }
                }
            }
            filled = bytes.count
        }
        return PixelBuffer(width: width, height: height, bytes: swapped)
    }
}
