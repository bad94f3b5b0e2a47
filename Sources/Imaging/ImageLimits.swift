/// Limits that are checked before memory is used.
package struct ImageLimits: Sendable, Equatable {
    /// The largest encoded size, in bytes.
    package var maximumBytes: Int
    /// The largest width × height in the header. Only formats that stream row by row may use all of it.
    package var maximumPixels: Int
    /// The largest width × height if a decoder must hold the whole picture: progressive JPEG, WebP, HEIC, AVIF, GIF,
    /// interlaced PNG. 40 megapixels are 120 MB as RGB.
    package var maximumBufferedPixels: Int
    /// The largest side in pixels. JPEG itself ends at 65,535.
    package var maximumSide = 65_535

    /// The largest width × height × scans of a JPEG with several scans. Each scan goes over the whole picture, and a
    /// small file can ask for hundreds. Cameras and encoders make at most about twelve.
    package var maximumScannedPixels = 1_000_000_000

    /// The seconds that libvips may take for one picture. JPEGs and bitmaps are bounded by their size and scans.
    package var maximumSeconds = 10.0

    /// Defaults: 32 MiB, 120 megapixels streamed, 40 megapixels held whole, 65,535 pixels a side.
    package init(
        maximumBytes: Int = 32 << 20, maximumPixels: Int = 120_000_000, maximumBufferedPixels: Int = 40_000_000
    ) {
        self.maximumBytes = maximumBytes
        self.maximumPixels = maximumPixels
        self.maximumBufferedPixels = maximumBufferedPixels
    }

    /// Refuses a JPEG that would take far longer than its size suggests.
    func check(scans: Int, of pixels: Int) throws(ImagingError) {
        guard scans * pixels <= maximumScannedPixels else {
            throw .corrupt("a JPEG of \(pixels) pixels in \(scans) scans")
        }
    }

    /// Refuses a picture by the size in its header.
    func check(width: Int, height: Int, heldWhole: Bool) throws(ImagingError) {
        guard width > 0, height > 0 else { throw .corrupt("the header says \(width)×\(height) pixels") }
        let limit = heldWhole ? min(maximumPixels, maximumBufferedPixels) : maximumPixels
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= limit, width <= maximumSide, height <= maximumSide else {
            throw .tooManyPixels(width: width, height: height, limit: limit)
        }
    }
}
