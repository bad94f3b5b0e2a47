import Imaging
import Testing

@testable import Video

@Suite struct MotionGateTests {
    private let cat = PictureRegion(x: 0.5, y: 0.5, width: 0.1, height: 0.12)

    /// A grey picture with a brighter rectangle.
    private func picture(
        _ rectangle: PictureRegion? = nil, grey: UInt8 = 90, bright: UInt8 = 200, width: Int = 320, height: Int = 180
    ) -> PixelBuffer {
        var bytes = [UInt8](repeating: grey, count: width * height * 3)
        if let rectangle {
            for y in Int(rectangle.y * Double(height))..<Int(rectangle.bottom * Double(height)) {
                for x in Int(rectangle.x * Double(width))..<Int(rectangle.right * Double(width)) {
                    for part in 0..<3 { bytes[(y * width + x) * 3 + part] = bright }
                }
            }
        }
        return PixelBuffer(width: width, height: height, bytes: bytes)
    }

    @Test func aStillPictureIsNotLookedAt() {
        let gate = Gate()
        #expect(gate.moves(picture()))
        for _ in 0..<20 { #expect(!gate.moves(picture())) }
    }

    @Test func anAnimalIs() {
        let gate = Gate()
        _ = gate.moves(picture())
        #expect(gate.moves(picture(cat)))
    }

    @Test func aCloudIsNoMotion() {
        let gate = Gate()
        _ = gate.moves(picture(cat, grey: 90, bright: 150))
        #expect(!gate.moves(picture(cat, grey: 120, bright: 180)))
    }

    @Test func ignoredRegionsDoNotCount() {
        let gate = Gate(ignoring: [.init(x: 0.4, y: 0.4, width: 0.4, height: 0.4)])
        _ = gate.moves(picture())
        #expect(!gate.moves(picture(cat)))
        #expect(gate.moves(picture(.init(x: 0.1, y: 0.1, width: 0.1, height: 0.1))))
    }

    @Test func anotherSizeIsAnotherPicture() {
        let gate = Gate()
        _ = gate.moves(picture())
        #expect(gate.moves(picture(width: 640, height: 360)))
        #expect(!gate.moves(picture(width: 640, height: 360)))
        #expect(gate.moves(picture(width: 1, height: 1)))
    }
}

/// The gate as an object, since test macros cannot call mutating methods.
private final class Gate {
    private var gate: MotionGate

    init(ignoring regions: [PictureRegion] = []) { gate = MotionGate(ignoring: regions) }

    func moves(_ picture: PixelBuffer) -> Bool { gate.moves(picture) }
}
