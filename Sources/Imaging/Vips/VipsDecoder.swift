import CVips
import CVipsLibrary
import Dispatch

/// Decodes every format except plain JPEG. libvips streams the picture, which is shrunk by whole numbers on the way.
enum VipsDecoder {
    /// A picture whose header was read, but not its pixels.
    struct Opened {
        let image: VipsImageHandle
        let width: Int
        let height: Int
        let orientation: Orientation
    }

    /// Reads the header and checks the limits. The bytes must outlive the result.
    static func open(
        _ bytes: UnsafeBufferPointer<UInt8>, format: ImageFormat, limits: ImageLimits
    ) throws(ImagingError) -> Opened {
        guard VipsLibrary.isReady else {
            throw .unsupportedFormat(format.rawValue.uppercased() + " (libvips did not start)")
        }
        guard let base = bytes.baseAddress else { throw .empty }
        // libvips may have noted something about an earlier picture that it could read all the same.
        vips_error_clear()
        let image = try VipsImageHandle { out in
            switch format {
            case .jpeg: menagerie_vips_jpegload(base, bytes.count, 1, out)
            case .png: menagerie_vips_pngload(base, bytes.count, out)
            case .webp: menagerie_vips_webpload(base, bytes.count, out)
            case .gif: menagerie_vips_gifload(base, bytes.count, out)
            case .tiff: menagerie_vips_tiffload(base, bytes.count, out)
            case .heic, .avif: menagerie_vips_heifload(base, bytes.count, out)
            case .bmp: -1
            }
        }
        let streams = [.png, .tiff, .jpeg].contains(format) && !image.has("interlaced") && !image.has("jpeg-multiscan")
        try limits.check(width: image.width, height: image.height, heldWhole: !streams)
        // The HEIF reader applies the file's rotation and then reports orientation 1.
        return Opened(image: image, width: image.width, height: image.height, orientation: image.orientation)
    }

    /// Pixels in stored orientation as sRGB, with alpha on white, shrunk by whole numbers but never below the minimum.
    ///
    /// A slow decode is stopped between rows. A format that is decoded as a whole is stopped after that.
    static func decode(
        _ opened: Opened, minimumWidth: Int, minimumHeight: Int, limits: ImageLimits
    ) throws(ImagingError) -> DecodedPixels {
        var image = opened.image
        // Averaging first leaves fewer pixels for the costly colour conversions.
        let columns = max(1, opened.width / max(1, minimumWidth))
        let rows = max(1, opened.height / max(1, minimumHeight))
        let factor = min(columns, rows)
        let isPlain = image.format == VIPS_FORMAT_UCHAR && !image.hasAlpha
        if factor > 1, isPlain {
            image = try image.applying { menagerie_vips_shrink($0, $1, Int32(factor), Int32(factor)) }
        }
        if image.hasFittingProfile, let converted = try? image.applying({ menagerie_vips_icc_to_srgb($0, $1) }) {
            image = converted
        }
        image = try image.applying { menagerie_vips_colourspace_srgb($0, $1) }
        if image.hasAlpha { image = try image.applying { menagerie_vips_flatten_on_white($0, $1) } }
        if image.format != VIPS_FORMAT_UCHAR { image = try image.applying { menagerie_vips_cast_uchar($0, $1) } }
        if image.bands > 3 { image = try image.applying { menagerie_vips_extract_bands($0, $1, 0, 3) } }
        if factor > 1, !isPlain {
            image = try image.applying { menagerie_vips_shrink($0, $1, Int32(factor), Int32(factor)) }
        }
        guard image.bands == 3 else { throw .unsupportedFormat("An image with \(image.bands) colour bands") }

        var size = 0
        let clock = opened.image.stop(after: limits.maximumSeconds)
        defer { clock.cancel() }
        guard let memory = vips_image_write_to_memory(image.pointer, &size) else {
            throw opened.image.isStopped ? .tooSlow(seconds: limits.maximumSeconds) : VipsLibrary.failure()
        }
        defer { g_free(memory) }
        guard size == image.width * image.height * 3 else { throw .corrupt("libvips wrote \(size) bytes") }
        return DecodedPixels(
            bytes: [UInt8](UnsafeRawBufferPointer(start: memory, count: size)), width: image.width,
            height: image.height,
            spanWidth: min(Double(image.width), Double(opened.width) / Double(factor)),
            spanHeight: min(Double(image.height), Double(opened.height) / Double(factor)))
    }
}
