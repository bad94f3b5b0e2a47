/// Decodes bitmaps. libvips would pass them to ImageMagick, which is blocked as untrusted.
///
/// It reads plain 1, 2, 4, 8, 16, 24 and 32 bits, bit fields, RLE4 and RLE8, and ignores alpha as every viewer does.
/// Every read is bounds-checked, and the memory is that of the picture.
enum BMPDecoder {
    static func decode(_ bytes: [UInt8], header: BMPHeader) throws(ImagingError) -> DecodedPixels {
        let pixels =
            switch header.storage {
            case .runLength4, .runLength8: try runLength(bytes, header: header)
            case .plain, .bitFields, .alphaBitFields: try rows(bytes, header: header)
            }
        return DecodedPixels(PixelBuffer(width: header.width, height: header.height, bytes: pixels))
    }

    private static func rows(_ bytes: [UInt8], header: BMPHeader) throws(ImagingError) -> [UInt8] {
        let stride = (header.width * header.bitsPerPixel + 31) / 32 * 4
        let lastRow = (header.width * header.bitsPerPixel + 7) / 8
        // Many files lack the padding of the last row.
        guard header.pixelOffset + stride * (header.height - 1) + lastRow <= bytes.count else { throw .truncated }
        let channels = header.masks.map(Channel.init(mask:))
        var pixels = [UInt8](repeating: 0, count: header.width * header.height * 3)
        for row in 0..<header.height {
            let source = header.pixelOffset + row * stride
            var target = (header.isBottomUp ? header.height - 1 - row : row) * header.width * 3
            for column in 0..<header.width {
                switch header.bitsPerPixel {
                case 24:
                    let offset = source + column * 3
                    pixels[target] = bytes[offset + 2]
                    pixels[target + 1] = bytes[offset + 1]
                    pixels[target + 2] = bytes[offset]
                case 16, 32:
                    let width = header.bitsPerPixel / 8
                    var word: UInt32 = 0
                    for byte in 0..<width { word |= UInt32(bytes[source + column * width + byte]) << (8 * byte) }
                    for channel in 0..<3 { pixels[target + channel] = channels[channel].level(of: word) }
                default:
                    let bit = column * header.bitsPerPixel
                    let shift = 8 - header.bitsPerPixel - bit % 8
                    let index = Int(bytes[source + bit / 8] >> shift) & ((1 << header.bitsPerPixel) - 1)
                    put(index, of: header.palette, into: &pixels, at: target)
                }
                target += 3
            }
        }
        return pixels
    }

    /// Decodes RLE4 and RLE8, which are pairs of count and colour. A count of 0 escapes: 0 ends the row, 1 ends the
    /// picture, 2 moves, n gives literal pixels.
    private static func runLength(_ bytes: [UInt8], header: BMPHeader) throws(ImagingError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: header.width * header.height * 3)
        var offset = header.pixelOffset
        var column = 0
        var row = 0
        let bits = header.bitsPerPixel
        func emit(_ index: Int, _ pixels: inout [UInt8]) {
            if column < header.width, row < header.height {
                let upright = header.isBottomUp ? header.height - 1 - row : row
                put(index, of: header.palette, into: &pixels, at: (upright * header.width + column) * 3)
            }
            column += 1
        }
        while row < header.height {
            guard offset + 2 <= bytes.count else { throw .truncated }
            let (count, value) = (Int(bytes[offset]), Int(bytes[offset + 1]))
            offset += 2
            switch (count, value) {
            case (1..., _):
                for index in 0..<count { emit(bits == 8 ? value : index % 2 == 0 ? value >> 4 : value & 15, &pixels) }
            case (_, 0):
                column = 0
                row += 1
            case (_, 1):
                return pixels
            case (_, 2):
                guard offset + 2 <= bytes.count else { throw .truncated }
                column += Int(bytes[offset])
                row += Int(bytes[offset + 1])
                offset += 2
            default:
                let length = (value * bits + 7) / 8
                guard offset + length <= bytes.count else { throw .truncated }
                for index in 0..<value {
                    let byte = Int(bytes[offset + index * bits / 8])
                    emit(bits == 8 ? byte : index % 2 == 0 ? byte >> 4 : byte & 15, &pixels)
                }
                // Literals are padded to 16 bits.
                offset += length + length % 2
            }
        }
        return pixels
    }

    private static func put(_ index: Int, of palette: [[UInt8]], into pixels: inout [UInt8], at offset: Int) {
        guard index < palette.count else { return }
        pixels[offset] = palette[index][0]
        pixels[offset + 1] = palette[index][1]
        pixels[offset + 2] = palette[index][2]
    }

    /// A colour channel inside a 16- or 32-bit word.
    private struct Channel {
        let mask: UInt32
        let shift: UInt32
        let maximum: UInt32

        init(mask: UInt32) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
        }

        /// The channel's value, scaled to 0–255.
        func level(of word: UInt32) -> UInt8 {
            guard maximum > 0 else { return 0 }
            return UInt8(
                truncatingIfNeeded: (UInt64((word & mask) >> shift) * 255 + UInt64(maximum / 2)) / UInt64(maximum))
        }
    }
}
