/// Turns a file's bytes into upright sRGB pixels. It is synchronous and thread-safe, and keeps nothing between photos.
package struct ImageDecoder: Sendable {
    /// Limits that are checked before memory is used.
    package let limits: ImageLimits

    package init(limits: ImageLimits = ImageLimits()) { self.limits = limits }

    /// Decodes one photo.
    ///
    /// JPEGs that are grey, YCbCr or RGB without a foreign colour profile go through libjpeg-turbo at reduced size (2
    /// CPU-ms for 500×375, see `Models/README.md`), bitmaps through our own reader, everything else through libvips.
    ///
    /// - Parameters:
    ///   - bytes: the file as received.
    ///   - request: size and crop of the wanted picture.
    package func decode(
        _ bytes: [UInt8], _ request: DecodeRequest
    ) throws(ImagingError) -> (pixels: PixelBuffer, info: ImageInfo) {
        let source = try ImageSource(bytes, limits: limits)
        return (try source.pixels(request), source.info())
    }

    /// Decodes one photo once and makes several pictures of it, or of parts of it.
    ///
    /// - Parameters:
    ///   - bytes: the file as received.
    ///   - requests: size, crop and region of each picture. A picture is enlarged if the photo has too few pixels.
    package func decode(
        _ bytes: [UInt8], _ requests: [DecodeRequest]
    ) throws(ImagingError) -> (pictures: [DecodedPicture], info: ImageInfo) {
        let source = try ImageSource(bytes, limits: limits)
        return (try source.pictures(requests), source.info())
    }

    /// Frees the data that libvips keeps for each thread. A thread that decoded calls it before it ends.
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
