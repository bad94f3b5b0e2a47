import Base

/// A photo whose header was read and checked, and whose pixels are not decoded yet.
///
/// JPEGs that are grey, YCbCr or RGB without a foreign colour profile go through libjpeg-turbo at reduced size (2
/// CPU-ms for 500×375, see `Models/README.md`), bitmaps through our own reader, everything else through libvips. It is
/// opened once and may be decoded at several sizes. It stays on the decoding thread.
package struct ImageSource {
    private enum Reader {
        case jpeg(JPEGHeader)
        case bmp(BMPHeader)
        /// libvips opens the file anew for each decode, because a streamed picture can be read only once.
        case vips(ImageFormat)
    }

    /// Columns and rows as stored.
    let width: Int
    let height: Int
    let format: ImageFormat
    let orientation: Orientation
    let bytes: [UInt8]
    private let limits: ImageLimits
    private let reader: Reader

    /// Recognises the format, reads the header and checks every limit.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(ImagingError) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= limits.maximumBytes else {
            throw .tooManyBytes(count: bytes.count, limit: limits.maximumBytes)
        }
        self.bytes = bytes
        self.limits = limits
        switch SniffedFormat(of: bytes) {
        case .unknown: throw .notAnImage
        case .unsupported(let name): throw .unsupportedFormat(name)
        case .readable(let readable): format = readable
        }
        switch format {
        case .jpeg:
            let header = try JPEGHeader(parsing: bytes)
            if let process = header.unsupportedProcess { throw .unsupportedFormat(process) }
            guard header.precision == 8 else { throw .unsupportedFormat("\(header.precision)-bit JPEG") }
            try limits.check(width: header.width, height: header.height, heldWhole: header.hasSeveralScans)
            if header.hasSeveralScans {
                let scans = JPEGHeader.scans(in: bytes, from: header.scanStart)
                try limits.check(scans: scans, of: header.width * header.height)
            }
            (width, height, orientation) = (header.width, header.height, header.orientation)
            reader = JPEGDecoder.reads(header) ? .jpeg(header) : .vips(.jpeg)
        case .bmp:
            let header = try BMPHeader(parsing: bytes)
            try limits.check(width: header.width, height: header.height, heldWhole: true)
            (width, height, orientation) = (header.width, header.height, .up)
            reader = .bmp(header)
        case .png, .webp, .gif, .tiff, .heic, .avif:
            let format = format
            if format == .png { try PNGStructure.check(bytes) }
            if format == .tiff, EXIF.isPlainYCbCr(bytes[...]) {
                throw .unsupportedFormat("A TIFF in YCbCr without JPEG compression")
            }
            (width, height, orientation) = try bytes.withUnsafeBufferPointer { buffer throws(ImagingError) in
                let opened = try VipsDecoder.open(buffer, format: format, limits: limits)
                return (opened.width, opened.height, opened.orientation)
            }
            reader = .vips(format)
        }
    }

    /// The same bytes, for a JPEG that is already upright, in sRGB and readable by browsers; nil for other photos.
    func uprightCopy(keepingMetadata keepsMetadata: Bool) -> [UInt8]? {
        guard case .jpeg(let header) = reader, orientation == .up, !header.isArithmetic else { return nil }
        return keepsMetadata ? bytes : JPEGMetadata.stripped(bytes)
    }

    /// The TIFF structure of the EXIF data, corrected for the upright photo; nil if there is none.
    func uprightEXIF() throws(ImagingError) -> [UInt8]? {
        switch reader {
        case .jpeg(let header): return header.exif.map(EXIF.upright)
        case .bmp: return nil
        // libvips does not read it, because the file is such a structure itself.
        case .vips(.tiff): return EXIF.description(inTIFF: bytes[...]).map { EXIF.upright($0[...]) }
        case .vips(let format):
            return try bytes.withUnsafeBufferPointer { buffer throws(ImagingError) in
                let data = try VipsDecoder.open(buffer, format: format, limits: limits).image.bytes(of: "exif-data")
                guard let data, !data.isEmpty else { return nil }
                return EXIF.upright(data.starts(with: EXIF.mark) ? data.dropFirst(EXIF.mark.count) : data[...])
            }
        }
    }

    /// The facts about the photo, with its checksum.
    package func info() -> ImageInfo {
        ImageInfo(
            storedWidth: width, storedHeight: height, format: format, orientation: orientation,
            sha256: ContentDigest(of: bytes))
    }

    /// The upright picture in the requested shape.
    package func pixels(_ request: DecodeRequest) throws(ImagingError) -> PixelBuffer {
        let framing = Framing(width: width, height: height, orientation: orientation, request: request)
        let decoded = try decode(minimumWidth: framing.plan.width, minimumHeight: framing.plan.height)
        return framing.finish(decoded.resized(to: framing.plan))
    }

    /// Frees the data that libvips keeps for each thread. A thread that decoded calls it before it ends.
    package static func endThread() { VipsLibrary.endThread() }

    /// Decodes at the size that the closest view needs, within ``maximumDecodedPixels``.
    func decode(for requests: [DecodeRequest]) throws(ImagingError) -> DecodedPixels {
        let plans = requests.map {
            Framing(width: width, height: height, orientation: orientation, request: $0).plan
        }
        let (wide, high) = (min(plans.map(\.width).max() ?? 1, width), min(plans.map(\.height).max() ?? 1, height))
        let excess = max(1, (Double(wide) * Double(high) / Self.maximumDecodedPixels).squareRoot())
        return try decode(
            minimumWidth: max(1, Int(clamping: Double(wide) / excess)),
            minimumHeight: max(1, Int(clamping: Double(high) / excess)))
    }

    /// The largest number of pixels that a close view requests from the decoder, which halves the sides of a
    /// 12-megapixel photo. The decoder may give up to four times as many.
    private static let maximumDecodedPixels = 4_000_000.0

    /// Pixels in stored orientation, with at least this many columns and rows if the photo has them.
    func decode(minimumWidth: Int, minimumHeight: Int) throws(ImagingError) -> DecodedPixels {
        switch reader {
        case .jpeg(let header):
            try JPEGDecoder.decode(bytes, header: header, minimumWidth: minimumWidth, minimumHeight: minimumHeight)
        case .bmp(let header):
            try BMPDecoder.decode(bytes, header: header)
        case .vips(let format):
            try bytes.withUnsafeBufferPointer { buffer throws(ImagingError) in
                let opened = try VipsDecoder.open(buffer, format: format, limits: limits)
                return try VipsDecoder.decode(
                    opened, minimumWidth: minimumWidth, minimumHeight: minimumHeight, limits: limits)
            }
        }
    }
}

/// A picture of a photo, or of a part of it.
package struct DecodedPicture: Sendable {
    package let pixels: PixelBuffer
    package let placement: PicturePlacement

    package init(pixels: PixelBuffer, placement: PicturePlacement) {
        self.pixels = pixels
        self.placement = placement
    }
}
