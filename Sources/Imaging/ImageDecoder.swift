import Base
/// Bytes in, upright sRGB pixels out. Synchronous and thread-safe: it keeps nothing between photos.
package struct ImageDecoder: Sendable {
    /// Caps checked before memory is spent.
    package let limits: ImageLimits

    package init(limits: ImageLimits = ImageLimits()) {
        self.limits = limits
    }

    /// Decodes one photo.
    ///
    /// JPEGs that are grey, YCbCr or RGB without a foreign colour profile go through libjpeg-turbo at reduced size
    /// (2 CPU-ms for 500×375, see `Models/README.md`), bitmaps through our own reader, everything else through libvips.
    ///
    /// - Parameters:
    ///   - bytes: the file as received.
    ///   - request: size and crop of the wanted picture.
    /// - Throws: ``ImagingError``; nothing is kept.
    package func decode(
        _ bytes: [UInt8], _ request: DecodeRequest
    ) throws(ImagingError) -> (pixels: PixelBuffer, info: ImageInfo) {
        let source = try open(bytes)
        return (try source.pixels(request), source.info())
    }

    /// Reads a photo's header with every cap checked: pixels, facts and ``PhotoEncoder``'s copy are then made of what was
    /// opened.
    ///
    /// - Throws: ``ImagingError``.
    package func open(_ bytes: [UInt8]) throws(ImagingError) -> ImageSource { try ImageSource(bytes, limits: limits) }

    /// Decodes one photo once and makes several pictures of it, or of parts of it.
    ///
    /// - Parameters:
    ///   - bytes: the file as received.
    ///   - requests: size, crop and region of each; one may be enlarged where the photo has no more to show.
    /// - Throws: ``ImagingError``; nothing is kept.
    package func decode(
        _ bytes: [UInt8], _ requests: [DecodeRequest]
    ) throws(ImagingError) -> (pictures: [DecodedPicture], info: ImageInfo) {
        let source = try open(bytes)
        return (try source.pictures(requests), source.info())
    }

    /// Reads the header alone: format, size, orientation and checksum, with every cap checked.
    package func inspect(_ bytes: [UInt8]) throws(ImagingError) -> ImageInfo {
        try open(bytes).info()
    }

    /// What a thread that decoded calls before it ends; libvips keeps a little per thread.
    package static func endThread() { VipsLibrary.endThread() }
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

extension ImageSource {
    /// What is known of the photo, its checksum with it.
    package func info() -> ImageInfo {
        ImageInfo(
            storedWidth: width, storedHeight: height, format: format, orientation: orientation,
            sha256: ContentDigest(of: bytes))
    }
}
