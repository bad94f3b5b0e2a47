import Base

/// A picture that is opened and decoded once, and can be viewed several times as a whole and in parts.
package struct Frame: Sendable {
    /// The size, format, orientation and checksum. A picture that came as pixels counts as an upright bitmap with the
    /// checksum of no bytes.
    package let info: ImageInfo
    private let decoded: DecodedPixels

    /// Decodes a file at the size that the requested pictures need, up to a reasonable size.
    package init(
        _ bytes: [UInt8], for requests: [DecodeRequest], limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) {
        let source = try ImageSource(bytes, limits: limits)
        decoded = try source.decode(for: requests)
        info = source.info()
    }

    /// A picture that is already decoded, such as one of a video.
    package init(pixels: PixelBuffer) {
        info = ImageInfo(
            storedWidth: pixels.width, storedHeight: pixels.height, format: .bmp, orientation: .up,
            sha256: Self.digestOfNothing)
        decoded = DecodedPixels(pixels)
    }

    private static let digestOfNothing = ContentDigest(of: [UInt8]())

    /// A picture of the frame or of a part of it, in the requested shape. It is enlarged if it needs more pixels than
    /// were decoded.
    package func picture(_ request: DecodeRequest) -> DecodedPicture {
        let framing = framing(of: request)
        return DecodedPicture(pixels: framing.finish(decoded.resized(to: framing.plan)), placement: framing.placement)
    }

    /// Whether the file has more pixels for the picture than were decoded.
    package func hidesDetail(of request: DecodeRequest) -> Bool {
        guard decoded.width < info.storedWidth else { return false }
        let plan = framing(of: request).plan
        return plan.width > decoded.width || plan.height > decoded.height
    }

    private func framing(of request: DecodeRequest) -> Framing {
        Framing(width: info.storedWidth, height: info.storedHeight, orientation: info.orientation, request: request)
    }
}
