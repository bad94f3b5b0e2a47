/// Caps that are checked before memory is spent.
package struct ImageLimits: Sendable, Equatable {
    /// Encoded size in bytes.
    package var maximumBytes: Int
    /// Width × height from the header. Only formats that stream row by row may use all of it.
    package var maximumPixels: Int
    /// Width × height for what a decoder must hold whole: progressive JPEG, WebP, HEIC, AVIF, GIF, interlaced PNG.
    /// 40 megapixels are 120 MB as RGB.
    package var maximumBufferedPixels: Int
    /// Either side in pixels; 65,535 is where JPEG ends by its own definition.
    package var maximumSide: Int

    /// Width × height × scans of a JPEG that is not read in one go: each scan is a walk over the whole picture, and a
    /// small file can ask for hundreds. Cameras and encoders make at most some twelve.
    package var maximumScannedPixels = 1_000_000_000

    /// What libvips may take for one picture, in seconds; JPEGs and bitmaps are bounded by their size and scans.
    package var maximumSeconds = 10.0

    /// Defaults: 32 MiB, 120 megapixels streamed, 40 megapixels held whole, 65,535 pixels a side.
    package init(
        maximumBytes: Int = 32 << 20, maximumPixels: Int = 120_000_000, maximumBufferedPixels: Int = 40_000_000,
        maximumSide: Int = 65_535
    ) {
        self.maximumBytes = maximumBytes
        self.maximumPixels = maximumPixels
        self.maximumBufferedPixels = maximumBufferedPixels
        self.maximumSide = maximumSide
    }

    /// Refuses a JPEG that would take far longer than its size tells.
    func check(scans: Int, of pixels: Int) throws(ImagingError) {
        guard scans * pixels <= maximumScannedPixels else {
            throw .corrupt("a JPEG of \(pixels) pixels in \(scans) scans")
        }
    }

    /// Refuses a picture by the size its header announces.
    func check(width: Int, height: Int, heldWhole: Bool) throws(ImagingError) {
        guard width > 0, height > 0 else { throw .corrupt("the header says \(width)×\(height) pixels") }
        let limit = heldWhole ? min(maximumPixels, maximumBufferedPixels) : maximumPixels
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= limit, width <= maximumSide, height <= maximumSide else {
            throw .tooManyPixels(width: width, height: height, limit: limit)
        }
    }
}
