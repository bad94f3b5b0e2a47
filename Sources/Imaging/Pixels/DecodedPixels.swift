/// The pixels of a decoder: RGB8 in stored orientation, possibly smaller than the original.
struct DecodedPixels {
    /// `height` × `width` × 3 bytes.
    let bytes: [UInt8]
    let width: Int
    let height: Int
    /// The columns and rows that the original covers. The last may be covered in part.
    let spanWidth: Double
    let spanHeight: Double
}

extension DecodedPixels {
    /// Pixels at the size of the original.
    init(_ pixels: PixelBuffer) {
        self.init(
            bytes: pixels.bytes, width: pixels.width, height: pixels.height, spanWidth: Double(pixels.width),
            spanHeight: Double(pixels.height))
    }

    /// Resizes, and keeps the plan's window in stored orientation.
    func resized(to plan: ResizePlan) -> PixelBuffer {
        if plan.width == width, plan.height == height, plan.columns.count == width, plan.rows.count == height,
            spanWidth == Double(width), spanHeight == Double(height)
        {
            return PixelBuffer(width: width, height: height, bytes: bytes)
        }
        return bytes.withUnsafeBufferPointer { Resampler.resize($0, of: self, to: plan) }
    }
}
