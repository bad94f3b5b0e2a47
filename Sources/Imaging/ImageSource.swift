import Base
/// A photo whose header was read and judged, and whose pixels were not yet touched.
///
/// One photo is opened once and may be decoded at several sizes. Not sendable: it lives on the thread that decodes.
package struct ImageSource {
    private enum Reader {
        case jpeg(JPEGHeader)
        case bmp(BMPHeader)
        /// Opened anew for each decode: a streamed picture can be read once.
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

    /// Recognises the format and checks every cap.
    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImagingError) {
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
                try limits.check(scans: JPEGHeader.scans(in: bytes), of: header.width * header.height)
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
            (width, height, orientation) = try bytes.reading { buffer throws(ImagingError) in
                let opened = try VipsDecoder.open(buffer, format: format, limits: limits)
                return (opened.width, opened.height, opened.orientation)
            }
            reader = .vips(format)
        }
    }

    /// The same bytes less metadata, for a JPEG that is upright and in sRGB as it is; nil for all else.
    func withoutMetadata() -> [UInt8]? {
        guard case .jpeg = reader, orientation == .up else { return nil }
        return JPEGMetadata.stripped(bytes)
    }

    /// The bytes as they came, for a JPEG that is upright and in sRGB as it is; nil for all else.
    func withMetadata() -> [UInt8]? {
        guard case .jpeg = reader, orientation == .up else { return nil }
        return bytes
    }

    /// The TIFF structure that EXIF is, for the photo once it was turned upright; nil where there is none.
    func uprightEXIF() throws(ImagingError) -> [UInt8]? {
        switch reader {
        case .jpeg(let header): return header.exif.map(EXIF.upright)
        case .bmp: return nil
        case .vips(let format):
            return try bytes.reading { buffer throws(ImagingError) in
                let data = try VipsDecoder.open(buffer, format: format, limits: limits).image.bytes(of: "exif-data")
                guard let data, !data.isEmpty else { return nil }
                return EXIF.upright(data.starts(with: EXIF.mark) ? data.dropFirst(EXIF.mark.count) : data[...])
            }
        }
    }

    /// The upright picture of the wanted shape.
    package func pixels(_ request: DecodeRequest) throws(ImagingError) -> PixelBuffer {
        let framing = Framing(width: width, height: height, orientation: orientation, request: request)
        let decoded = try decode(minimumWidth: framing.plan.width, minimumHeight: framing.plan.height)
        return framing.finish(decoded.resized(to: framing.plan))
    }

    /// Several upright pictures out of one decode.
    func pictures(_ requests: [DecodeRequest]) throws(ImagingError) -> [DecodedPicture] {
        let framings = framings(of: requests)
        guard !framings.isEmpty else { return [] }
        let decoded = try decode(for: framings)
        return framings.map {
            DecodedPicture(pixels: $0.finish(decoded.resized(to: $0.plan)), placement: $0.placement)
        }
    }

    func framings(of requests: [DecodeRequest]) -> [Framing] {
        requests.map { Framing(width: width, height: height, orientation: orientation, request: $0) }
    }

    /// As large as the picture that looks closest needs, within ``maximumDecodedPixels``.
    func decode(for framings: [Framing]) throws(ImagingError) -> DecodedPixels {
        let (wide, high) = (
            min(framings.map(\.plan.width).max() ?? 1, width), min(framings.map(\.plan.height).max() ?? 1, height)
        )
        let excess = max(1, (Double(wide) * Double(high) / Self.maximumDecodedPixels).squareRoot())
        return try decode(
            minimumWidth: max(1, Int(clamping: Double(wide) / excess)),
            minimumHeight: max(1, Int(clamping: Double(high) / excess)))
    }

    /// Pixels that a closer look asks the decoder for: a 12-megapixel photo is then decoded at half its size. The
    /// decoder may give up to four times as many.
    private static let maximumDecodedPixels = 4_000_000.0

    /// Pixels in stored orientation with at least this many columns and rows where the photo has them.
    func decode(minimumWidth: Int, minimumHeight: Int) throws(ImagingError) -> DecodedPixels {
        switch reader {
        case .jpeg(let header):
            try JPEGDecoder.decode(bytes, header: header, minimumWidth: minimumWidth, minimumHeight: minimumHeight)
        case .bmp(let header):
            try BMPDecoder.decode(bytes, header: header)
        case .vips(let format):
            try bytes.reading { buffer throws(ImagingError) in
                let opened = try VipsDecoder.open(buffer, format: format, limits: limits)
                return try VipsDecoder.decode(
                    opened, minimumWidth: minimumWidth, minimumHeight: minimumHeight, limits: limits)
            }
        }
    }
}
