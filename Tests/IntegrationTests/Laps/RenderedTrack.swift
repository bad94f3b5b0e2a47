import Foundation
import Imaging

/// Renders a camera's view of a track: photos of vehicles move over a scene of 640 × 480 pixels with subpixel
/// positions, shadows and motion blur.
struct RenderedTrack {
    static let (width, height) = (640, 480)

    /// A vehicle cut out of a photo, with soft edges and a shadow.
    struct Sprite {
        let width: Int
        let height: Int
        /// Four values per pixel: red, green and blue, each multiplied by the opacity, and the opacity, 0…1.
        fileprivate let planes: [Float]

        /// - Parameters:
        ///   - photo: a file.
        ///   - region: the vehicle's region in the photo.
        ///   - width: the vehicle's width in the scene, in pixels.
        init(_ photo: [UInt8], region: PictureRegion, width: Int) throws {
            let info = try ImageSource(photo).info()
            let shape = region.height * Double(info.height) / (region.width * Double(info.width))
            let body = max(1, Int((Double(width) * shape).rounded()))
            let request = DecodeRequest(width: width, height: body, crop: .fill, region: region)
            let pixels = try ImageSource(photo).pixels(request)
            let shadow = max(2, body / 10)
            var planes = [Float](repeating: 0, count: width * (body + shadow) * 4)
            for row in 0..<(body + shadow) {
                for column in 0..<width {
                    let target = (row * width + column) * 4
                    let across = abs(Float(column) + 0.5 - Float(width) / 2) / (Float(width) / 2)
                    let down = abs(Float(row) + 0.5 - Float(body) / 2) / (Float(body) / 2)
                    let inside = row < body ? min(max((1 - pow(across, 6) - pow(down, 6)) * 5, 0), 1) : 0
                    let ground = (Float(row) - Float(body) + Float(shadow) / 2) / Float(shadow)
                    let shade = 0.45 * min(max((1 - across * across - 4 * ground * ground) * 2, 0), 1)
                    for channel in 0..<3 where inside > 0 {
                        planes[target + channel] = inside * Float(pixels.bytes[(row * width + column) * 3 + channel])
                    }
                    planes[target + 3] = inside + (1 - inside) * shade
                }
            }
            self.init(width: width, height: body + shadow, planes: planes)
        }

        private init(width: Int, height: Int, planes: [Float]) {
            (self.width, self.height, self.planes) = (width, height, planes)
        }

        /// Motion blur by some pixels along the direction of travel.
        func blurred(by pixels: Double) -> Sprite {
            let taps = Int(pixels.rounded(.up)) | 1
            guard taps > 1 else { return self }
            let wide = width + taps - 1
            var smeared = [Float](repeating: 0, count: wide * height * 4)
            for row in 0..<height {
                for column in 0..<width {
                    for plane in 0..<4 {
                        let value = planes[(row * width + column) * 4 + plane] / Float(taps)
                        guard value > 0 else { continue }
                        for tap in 0..<taps { smeared[(row * wide + column + tap) * 4 + plane] += value }
                    }
                }
            }
            return Sprite(width: wide, height: height, planes: smeared)
        }
    }

    /// Copies of the empty scene with different camera noise.
    private let scenes: [[UInt8]]
    private var drawn = 0

    /// - Parameter isShaded: whether the half of the track behind the line is in shadow.
    init(isShaded: Bool) {
        var seed: UInt64 = 88_172_645_463_325_252
        func random() -> Int {
            seed ^= seed << 13
            seed ^= seed >> 7
            seed ^= seed << 17
            return Int(truncatingIfNeeded: seed >> 40) & 0xFF
        }
        // The ground has a texture of coarse to fine patches. Over it come a lawn, a kerb and the asphalt.
        let patches = (0..<(Self.width * Self.height / 64)).map { _ in random() - 128 }
        var ground = [Int](repeating: 0, count: Self.width * Self.height * 3)
        for row in 0..<Self.height {
            let colour = row < 150 ? [96, 128, 70] : row < 162 ? [196, 192, 186] : [118, 118, 122]
            for column in 0..<Self.width {
                let patch = patches[(row / 8 * (Self.width / 8) + column / 8) % patches.count] / 12 + random() / 24
                let light = isShaded && column > Self.width / 2 && column < Self.width * 7 / 8 ? 55 : 100
                for channel in 0..<3 {
                    ground[(row * Self.width + column) * 3 + channel] = (colour[channel] + patch) * light / 100
                }
            }
        }
        scenes = (0..<4).map { _ in ground.map { UInt8(clamping: $0 + random() / 32 - 4) } }
    }

    /// The next frame as a JPEG.
    ///
    /// - Parameter sprites: each with its middle and its lower edge, in pixels.
    mutating func frame(_ sprites: [(sprite: Sprite, middle: Double, bottom: Int)]) throws -> [UInt8] {
        var bytes = scenes[drawn % scenes.count]
        drawn += 1
        for (sprite, middle, bottom) in sprites { Self.draw(sprite, middle, bottom, into: &bytes) }
        return try PhotoEncoder(quality: 90).storedCopy(
            of: PixelBuffer(width: Self.width, height: Self.height, bytes: bytes))
    }

    private static func draw(_ sprite: Sprite, _ middle: Double, _ bottom: Int, into bytes: inout [UInt8]) {
        let left = middle - Double(sprite.width) / 2
        let first = Int(left.rounded(.down))
        // The share of the right one of two columns.
        let share = Float(left - Double(first))
        bytes.withUnsafeMutableBufferPointer { bytes in
            sprite.planes.withUnsafeBufferPointer { planes in
                for row in 0..<sprite.height {
                    let line = (bottom - sprite.height + row) * width
                    for column in max(0, -first)..<max(max(0, -first), min(sprite.width + 1, width - first)) {
                        let (right, leftOf) = ((row * sprite.width + column) * 4, (row * sprite.width + column - 1) * 4)
                        func value(_ plane: Int) -> Float {
                            (column < sprite.width ? (1 - share) * planes[right + plane] : 0)
                                + (column > 0 ? share * planes[leftOf + plane] : 0)
                        }
                        let cover = value(3)
                        guard cover > 0 else { continue }
                        for channel in 0..<3 {
                            let index = (line + first + column) * 3 + channel
                            bytes[index] = UInt8(min(max(value(channel) + (1 - cover) * Float(bytes[index]), 0), 255))
                        }
                    }
                }
            }
        }
    }
}
