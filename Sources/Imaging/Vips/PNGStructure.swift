/// The chunk layout of a PNG (ISO 15948 §5.3), walked before libpng sees it.
///
/// libpng reserves the length that a chunk announces before it reads: a file of 100 bytes can make it take a gigabyte
/// and several seconds. Here every chunk must fit the file, and what is no picture must be small.
enum PNGStructure {
    /// Bytes of all chunks but the picture's own (IHDR, PLTE, IDAT, IEND); a colour profile has a few kilobytes.
    static let maximumAncillaryBytes = 4 << 20

    /// - Throws: ``ImagingError/truncated`` when a chunk runs over the end, ``ImagingError/corrupt(_:)`` when the rest
    ///   outweighs the picture.
    static func check(_ bytes: [UInt8]) throws(ImagingError) {
        var offset = 8
        var ancillaryBytes = 0
        while offset < bytes.count {
            guard offset + 12 <= bytes.count else { throw .truncated }
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = bytes[offset + 4..<offset + 8]
            guard length <= bytes.count - offset - 12 else { throw .truncated }
            if type.elementsEqual("IEND".utf8) { return }
            if !["IHDR", "PLTE", "IDAT"].contains(where: { type.elementsEqual($0.utf8) }) {
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
