import Imaging
import Testing

@testable import Video

@Suite("Frames that are looked at") struct FrameSamplerTests {
    private func taken(_ rate: Double?, _ times: [Int64]) -> [Int64] {
        var sampler = FrameSampler(rate: rate)
        return times.filter { sampler.takes($0) }
    }

    @Test func `of 30 a second every third, of 25 two of five`() {
        let thirty = (0..<60).map { Int64($0) * 1_000_000 / 30 }
        #expect(taken(10, thirty) == stride(from: 0, to: 60, by: 3).map { thirty[$0] })
        let twentyFive = (0..<50).map { Int64($0) * 40_000 }
        #expect(taken(10, twentyFive).count == 20)
        #expect(taken(10, twentyFive).prefix(5) == [0, 120_000, 200_000, 320_000, 400_000])
    }

    @Test func `all where there are fewer, and where none are to be left out`() {
        #expect(taken(10, [0, 500_000, 1_700_000]) == [0, 500_000, 1_700_000])
        #expect(taken(nil, [0, 1, 2]) == [0, 1, 2])
    }

    @Test func `times that vary give one frame an interval`() {
        #expect(
            taken(2, [0, 10_000, 20_000, 499_000, 510_000, 999_000, 2_000_000]) == [0, 499_000, 999_000, 2_000_000])
    }

    @Test func `one every ten seconds`() {
        #expect(taken(0.1, (0..<300).map { Int64($0) * 100_000 }) == [0, 9_000_000, 19_000_000, 29_000_000])
    }
}

@Suite("Display matrices") struct DisplayMatrixTests {
    /// The stored corner pixels of each orientation, and where the matrix of the same name must put them.
    @Test func `each of the eight turns as its EXIF number does`() {
        let matrices: [(Orientation, a: Int64, b: Int64, c: Int64, d: Int64)] = [
            (.up, 1, 0, 0, 1), (.upMirrored, -1, 0, 0, 1), (.down, -1, 0, 0, -1), (.downMirrored, 1, 0, 0, -1),
            (.leftMirrored, 0, 1, 1, 0), (.right, 0, 1, -1, 0), (.rightMirrored, 0, -1, -1, 0), (.left, 0, -1, 1, 0),
        ]
        // Three columns, two rows, each pixel of its own colour.
        let stored = PixelBuffer(width: 3, height: 2, bytes: (0..<18).map { UInt8($0) })
        for (orientation, a, b, c, d) in matrices {
            #expect(Orientation(a: a << 16, b: b << 16, c: c << 16, d: d << 16) == orientation)
            let upright = orientation.upright(stored)
            for y in 0..<2 {
                for x in 0..<3 {
                    // x' = a·x + c·y, y' = b·x + d·y, moved into the picture.
                    let (x2, y2) = (Int(a) * x + Int(c) * y, Int(b) * x + Int(d) * y)
                    let left = min(0, Int(a) * 2) + min(0, Int(c))
                    let top = min(0, Int(b) * 2) + min(0, Int(d))
                    let shown = ((y2 - top) * upright.width + x2 - left) * 3
                    #expect(upright.bytes[shown] == stored.bytes[(y * 3 + x) * 3], "\(orientation) \(x) \(y)")
                }
            }
        }
    }

    @Test func `a camera held askew counts as held the nearest way`() {
        #expect(Orientation(a: 60_000, b: 20_000, c: -20_000, d: 60_000) == .up)
        #expect(Orientation(a: 10, b: 65_000, c: -65_000, d: 10) == .right)
        #expect(Orientation(a: 0, b: 0, c: 0, d: 0) == .up)
    }

    @Test func `pixels that are no squares make the picture wider or higher`() {
        #expect(PictureSize(width: 720, height: 576, aspect: 16.0 / 11, orientation: .up).width == 1047)
        #expect(PictureSize(width: 720, height: 576, aspect: 0.5, orientation: .up).height == 1152)
        let turned = PictureSize(width: 720, height: 576, aspect: 0, orientation: .right)
        #expect(turned.width == 576)
        #expect(turned.height == 720)
        #expect(PictureSize(width: 100, height: 50, aspect: 1e9, orientation: .up).width == 100)
    }
}

@Suite("Messages between a worker and its parent") struct WorkerMessageTests {
    private let messages: [WorkerMessage] = [
        .info(VideoInfo(width: 3, height: 2, container: "mp4", codec: "h264", audioCodec: "aac", orientation: .left)),
        .frame(VideoFrame(time: 1_234_567_890_123, picture: PixelBuffer(width: 3, height: 2, grey: 7))),
        .progress(-5), .end(VideoEnding(frames: 4, last: 9, damaged: 1, isTruncated: true, warnings: [.damaged(1)])),
        .failure(.tooManyPixels(width: 4, height: 5, limit: 6)),
    ]

    @Test func `what is sent arrives`() throws {
        for message in messages {
            let bytes = message.bytes
            let header = Array(bytes.prefix(WorkerMessage.headerSize))
            #expect(WorkerMessage.length(header: header, pixels: 6) == bytes.count - header.count)
            #expect(WorkerMessage(header: header, payload: Array(bytes.dropFirst(header.count))) == message)
        }
    }

    @Test func `a worker that is not to be trusted cannot make its parent take more than a frame`() {
        let frame = Array(messages[1].bytes.prefix(5))
        #expect(WorkerMessage.length(header: frame, pixels: 5) == nil)
        #expect(WorkerMessage.length(header: [0x66, 255, 255, 255, 255], pixels: 1 << 20) == nil)
        #expect(WorkerMessage.length(header: [0x69, 0, 0, 2, 0], pixels: 1 << 20) == nil)
        #expect(WorkerMessage.length(header: [0, 0, 0, 0, 0], pixels: 1) == nil)
    }

    @Test func `payloads that are not what their kind says are no messages`() {
        #expect(WorkerMessage(header: [0x69, 1, 0, 0, 0], payload: [0x7B]) == nil)
        #expect(WorkerMessage(header: [0x70, 1, 0, 0, 0], payload: [1]) == nil)
        // 3 × 2 pixels announced, 5 there; and none at all.
        var bytes = Array(messages[1].bytes.dropFirst(5))
        #expect(WorkerMessage(header: [0x66, 0, 0, 0, 0], payload: bytes.dropLast(3)) == nil)
        bytes[8] = 0
        #expect(WorkerMessage(header: [0x66, 0, 0, 0, 0], payload: bytes) == nil)
    }
}

@Suite("What is drawn at a time") struct VideoDrawingTests {
    private let drawing = VideoDrawing(
        hold: 100,
        paths: [
            .init(
                text: "cat", colour: 3,
                places: [
                    .init(milliseconds: 1000, x: 0, y: 0, width: 0.2, height: 0.2),
                    .init(milliseconds: 1100, x: 0.4, y: 0.2, width: 0.4, height: 0.2),
                    .init(milliseconds: 5000, x: 0.5, y: 0.5, width: 0.1, height: 0.1),
                ])
        ])

    @Test func `between two places on the line from one to the other`() throws {
        let middle = try #require(drawing.annotations(at: 1050).first)
        #expect(middle.text == "cat")
        #expect(abs(middle.region.x - 0.2) < 1e-9)
        #expect(abs(middle.region.width - 0.3) < 1e-9)
    }

    @Test func `not before the first, a moment after the last, and not through a long absence`() {
        #expect(drawing.annotations(at: 999).isEmpty)
        #expect(drawing.annotations(at: 1000).count == 1)
        #expect(drawing.annotations(at: 1200).first?.region.x == 0.4)
        #expect(drawing.annotations(at: 1201).isEmpty)
        #expect(drawing.annotations(at: 4999).isEmpty)
        #expect(drawing.annotations(at: 5100).count == 1)
        #expect(drawing.annotations(at: 5101).isEmpty)
    }
}
