import CFFmpeg
import Imaging

/// A small grey copy of a decoded picture, for detecting changes. It reads only some of the values.
enum BrightnessSketch {
    private static let (width, height) = (256, 144)
    /// The number of neighbours in a row whose mean is taken, against noise.
    private static let neighbours = 4

    /// The sketch, not turned upright. Nil for formats whose brightness cannot be read directly.
    static func picture(of frame: UnsafeMutablePointer<AVFrame>) -> PixelBuffer? {
        let (columns, rows) = (Int(frame.pointee.width), Int(frame.pointee.height))
        guard columns >= neighbours, rows > 0, let plane = Plane(frame) else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            for row in 0..<height {
                let line = plane.start + row * rows / height * plane.lineBytes
                for column in 0..<width {
                    let first = min(column * columns / width, columns - neighbours)
                    var sum = 0
                    for neighbour in 0..<neighbours { sum += plane.value(line + (first + neighbour) * plane.step) }
                    let mean = UInt8(truncatingIfNeeded: sum / neighbours)
                    for part in 0..<3 { target[(row * width + column) * 3 + part] = mean }
                }
            }
            count = width * height * 3
        }
        return PixelBuffer(width: width, height: height, bytes: bytes)
    }

    /// The brightness values of a frame. For RGB, the green values are used.
    private struct Plane {
        let start: UnsafePointer<UInt8>
        /// Bytes from one line to the next. Negative for a picture that is stored upside down.
        let lineBytes: Int
        /// Bytes from one value to the next.
        let step: Int
        private let isWide: Bool
        private let shift: Int

        init?(_ frame: UnsafeMutablePointer<AVFrame>) {
            guard let format = av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format))?.pointee else {
                return nil
            }
            let flags = Int32(truncatingIfNeeded: format.flags)
            let unreadable =
                AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL
                | AV_PIX_FMT_FLAG_FLOAT
            guard flags & unreadable == 0 else { return nil }
            let component = flags & AV_PIX_FMT_FLAG_RGB == 0 ? format.comp.0 : format.comp.1
            guard (8...16).contains(component.depth) else { return nil }
            let (data, lines) = (frame.pointee.data, frame.pointee.linesize)
            let planes = [(data.0, lines.0), (data.1, lines.1), (data.2, lines.2), (data.3, lines.3)]
            let index = Int(component.plane)
            guard planes.indices.contains(index), let base = planes[index].0 else { return nil }
            start = UnsafePointer(base) + Int(component.offset)
            lineBytes = Int(planes[index].1)
            step = Int(component.step)
            isWide = component.depth > 8
            shift = Int(component.shift) + Int(component.depth) - 8
        }

        /// The brightness at a position, 0…255.
        func value(_ position: UnsafePointer<UInt8>) -> Int {
            let value = isWide ? Int(position[0]) | Int(position[1]) << 8 : Int(position[0])
            return value >> shift & 0xFF
        }
    }
}
