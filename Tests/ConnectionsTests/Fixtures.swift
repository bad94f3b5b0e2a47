import Foundation
import Imaging

@testable import Connections

enum Fixture {
    static func camera(_ name: String = "Porch", url: String = "rtsp://a/b", ignored: [Camera.Region] = []) -> Camera {
        Camera(
            id: CameraDraft.slug(name), name: name, url: url, looksPerSecond: 5, ignored: ignored, savesScans: false,
            isEnabled: true)
    }

    static func sighting(
        id: String = "01J", label: String = "cat", individual: String? = "Misu",
        at date: Date = Date(timeIntervalSince1970: 1_800_000_000)
    ) -> Sighting {
        Sighting(
            id: id, camera: "porch", cameraName: "Porch", label: label, confidence: 0.9,
            breed: .init(label: "siamese", confidence: 0.8),
            individual: individual.map { .init(label: $0, confidence: 0.7) }, name: individual ?? "Siamese",
            first: date,
            last: date.addingTimeInterval(4), box: .init(x: 0.1, y: 0.2, width: 0.3, height: 0.4))
    }

    /// A grey picture with a brighter rectangle, in fractions of the picture.
    static func picture(
        _ rectangle: Camera.Region? = nil, grey: UInt8 = 90, bright: UInt8 = 200, width: Int = 320, height: Int = 180
    ) -> PixelBuffer {
        var bytes = [UInt8](repeating: grey, count: width * height * 3)
        if let rectangle {
            for y in Int(rectangle.y * Double(height))..<Int((rectangle.y + rectangle.height) * Double(height)) {
                for x in Int(rectangle.x * Double(width))..<Int((rectangle.x + rectangle.width) * Double(width)) {
                    for part in 0..<3 { bytes[(y * width + x) * 3 + part] = bright }
                }
            }
        }
        return PixelBuffer(width: width, height: height, bytes: bytes)
    }

    static func animal(
        _ track: Int, label: String = "cat", x: Double = 0.4, confidence: Double = 0.8, individual: String? = nil,
        isKnown: Bool = true
    ) -> SeenAnimal {
        SeenAnimal(
            track: track, label: label, confidence: confidence,
            region: .init(x: x, y: 0.4, width: 0.2, height: 0.2), breed: nil,
            individual: individual.map { .init(label: $0, confidence: 0.6) }, isKnown: isKnown)
    }
}
