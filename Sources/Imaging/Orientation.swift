/// EXIF tag 0x0112 (CIPA DC-008 §4.6.4): the sides of the scene at the stored row 0 and column 0.
package enum Orientation: Int, Sendable, CaseIterable, Codable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether rows and columns change places (5–8).
    package var swapsSides: Bool { rawValue >= 5 }
    /// Whether the stored columns run against their axis in the upright picture.
    var reversesColumns: Bool { [.upMirrored, .down, .rightMirrored, .left].contains(self) }
    /// Whether the stored rows run against their axis in the upright picture.
    var reversesRows: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

    /// The upright form of a picture in this orientation. The time is linear in the pixels, so turn small pictures.
    package func upright(_ stored: PixelBuffer) -> PixelBuffer {
        guard self != .up else { return stored }
        let width = swapsSides ? stored.height : stored.width
        let height = swapsSides ? stored.width : stored.height
        // Steps in bytes through the stored picture, for one step right and one step down in the upright picture.
        let columnStep = (reversesColumns ? -1 : 1) * 3
        let rowStep = (reversesRows ? -1 : 1) * 3 * stored.width
        let origin =
            (reversesColumns ? (stored.width - 1) * 3 : 0) + (reversesRows ? (stored.height - 1) * stored.width * 3 : 0)
        let right = swapsSides ? rowStep : columnStep
        let down = swapsSides ? columnStep : rowStep
        let bytes = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            stored.bytes.withUnsafeBufferPointer { source in
                var index = 0
                for row in 0..<height {
                    var offset = origin + row * down
                    for _ in 0..<width {
                        target[index] = source[offset]
                        target[index + 1] = source[offset + 1]
                        target[index + 2] = source[offset + 2]
                        index += 3
                        offset += right
                    }
                }
            }
            count = width * height * 3
        }
        return PixelBuffer(width: width, height: height, bytes: bytes)
    }
}

extension Orientation {
    /// The region of the stored picture that shows a region of the upright one. Both are in fractions.
    package func stored(_ region: PictureRegion) -> PictureRegion {
        let (left, right) = swapsSides ? (region.y, region.bottom) : (region.x, region.right)
        let (top, bottom) = swapsSides ? (region.x, region.right) : (region.y, region.bottom)
        return PictureRegion(
            left: reversesColumns ? 1 - right : left, top: reversesRows ? 1 - bottom : top,
            right: reversesColumns ? 1 - left : right, bottom: reversesRows ? 1 - top : bottom)
    }
}
