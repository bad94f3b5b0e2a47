/// Checks the chunks of a PNG (ISO 15948 §5.3) before libpng reads it.
///
/// libpng reserves the announced length of a chunk before it reads, so a file of 100 bytes can cost a gigabyte and
/// several seconds. Here every chunk must fit the file, and chunks other than the picture must be small.
enum PNGStructure {
    /// The largest sum of all chunks but pictures (also an animation's fdAT), IHDR, PLTE and IEND, in bytes. A colour
    /// profile has a few kilobytes.
    static let maximumAncillaryBytes = 4 << 20

    /// - Throws: ``ImagingError/truncated`` if a chunk runs over the end, ``ImagingError/corrupt(_:)`` if the other
    ///   chunks are too large.
    static func check(_ bytes: [UInt8]) throws(ImagingError) {
        var offset = 8
        var ancillaryBytes = 0
        while offset < bytes.count {
            guard offset + 12 <= bytes.count else { throw .truncated }
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = bytes[offset + 4..<offset + 8]
            guard length <= bytes.count - offset - 12 else { throw .truncated }
            if type.elementsEqual("IEND".utf8) { return }
            if !["IHDR", "PLTE", "IDAT", "fdAT"].contains(where: { type.elementsEqual($0.utf8) }) {
                ancillaryBytes += length
                guard ancillaryBytes <= maximumAncillaryBytes else {
                    throw .corrupt("a PNG with more than \(maximumAncillaryBytes) bytes of metadata")
                }
            }
            offset += 12 + length
        }
        throw .truncated
    }
}
