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

    /// One colour everywhere; the warm-up photo and tests use it.
    package init(width: Int, height: Int, grey: UInt8) {
        self.init(width: width, height: height, bytes: [UInt8](repeating: grey, count: width * height * 3))
    }
}
