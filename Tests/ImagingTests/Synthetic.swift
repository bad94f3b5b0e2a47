@testable import Imaging

/// Pictures made by formula. The Pillow script for the reference values makes the same ones.
enum Synthetic {
    /// R = 3x + y, G = xy/16, both modulo 256; B = a checkerboard of 8 pixels with levels 230 and 20.
    static func picture(width: Int, height: Int) -> PixelBuffer {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                bytes.append(UInt8(truncatingIfNeeded: 3 * x + y))
                bytes.append(UInt8(truncatingIfNeeded: x * y / 16))
                bytes.append((x / 8 + y / 8) % 2 == 0 ? 230 : 20)
            }
        }
        return PixelBuffer(width: width, height: height, bytes: bytes)
    }

    static func bitmap(_ pixels: PixelBuffer) -> [UInt8] {
        let stride = (pixels.width * 3 + 3) / 4 * 4
        var file = Array("BM".utf8) + little(54 + stride * pixels.height, 4) + little(0, 4) + little(54, 4)
        file += little(40, 4) + little(pixels.width, 4) + little(pixels.height, 4) + little(1, 2) + little(24, 2)
        file += [UInt8](repeating: 0, count: 24)
        for row in (0..<pixels.height).reversed() {
            for column in 0..<pixels.width {
                let offset = (row * pixels.width + column) * 3
                file += [pixels.bytes[offset + 2], pixels.bytes[offset + 1], pixels.bytes[offset]]
            }
            file += [UInt8](repeating: 0, count: stride - pixels.width * 3)
        }
        return file
    }

    /// An uncompressed grey TIFF with the same level everywhere.
    static func tiff(width: Int, height: Int, level: UInt8) -> [UInt8] {
        let entries = [
            (256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height),
            (279, width * height),
        ]
        let picture = [UInt8](repeating: level, count: width * height)
        var bytes = Array("II".utf8) + little(42, 2)
        bytes += little(8 + picture.count, 4) + picture + little(entries.count, 2)
        for (tag, value) in entries {
            bytes += little(tag, 2) + little(4, 2)
            bytes += little(1, 4) + little(value, 4)
        }
        return bytes + little(0, 4)
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A JPEG with an EXIF segment of this orientation right after its start marker.
    static func tagged(_ jpeg: [UInt8], orientation: UInt8, bigEndian: Bool = true) -> [UInt8] {
        let tiff: [UInt8] =
            bigEndian
            ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
            : [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
        let body = Array("Exif\0\0".utf8) + tiff
        return jpeg.prefix(2) + [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body + jpeg.dropFirst(2)
    }
}

extension PixelBuffer {
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(bytes[(y * width + x) * 3..<(y * width + x) * 3 + 3]) }

    /// The mean absolute difference of all levels, 0–255.
    func distance(to other: PixelBuffer) -> Double {
        Double(zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(bytes.count)
    }
}
