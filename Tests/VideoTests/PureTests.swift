import Glibc
import Imaging
import TestSupport
import Testing

@testable import Video

@Suite("The choice of analysed frames") struct FrameSamplerTests {
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

@Suite("The clock of a stream") struct PacketClockTests {
    private func times(_ times: [Int64]) -> [Int64] {
        var clock = PacketClock()
        return times.map { time in
            clock.follow(time, step: 40_000)
            return time + clock.shift(of: time)
        }
    }

    @Test func `it goes on where it begins anew, also a third time`() {
        #expect(
            times([900_000, 940_000, 0, 40_000, -7_000_000, 5_000_000])
                == [900_000, 940_000, 980_000, 1_020_000, 1_060_000, 13_060_000])
        // A packet that is late by a moment, or far ahead, is left as it is.
        #expect(times([900_000, 500_000, 940_000, 80_000_000]) == [900_000, 500_000, 940_000, 80_000_000])
    }

    @Test func `sound from before the clock began anew keeps its time`() {
        var clock = PacketClock()
        for time: Int64 in [95_443_000_000, 95_443_700_000, 0, 40_000] { clock.follow(time, step: 40_000) }
        let anew: Int64 = 95_443_740_000
        #expect(clock.shift(of: 95_443_100_000) == 0 && clock.shift(of: 20_000) == anew)
        #expect(clock.shift(of: nil) == anew)
    }

    @Test func `times at the limits cause no overflow`() {
        let limit: Int64 = (1 << 60) - 1
        _ = times((0..<100).map { $0 % 2 == 0 ? limit : -limit })
    }
}

@Suite("Descriptions of films") struct VideoInfoTests {
    @Test(arguments: [6, 20.02, 60, nil]) func `what was read counts where the file states less`(_ stated: Double?) {
        var info = VideoInfo(
            width: 4, height: 3, container: "mpegts", codec: "h264", duration: stated, framesPerSecond: 25, frames: 150)
        let read = info.read(to: VideoEnding(frames: 500, last: 19_960_000))
        if stated ?? 0 < 10 { (info.duration, info.frames) = (20, 500) }
        #expect(read == info)
    }

    @Test func `the last picture of a film with few may be shown for less time than the others`() {
        let info = VideoInfo(
            width: 4, height: 3, container: "mp4", codec: "h264", duration: 400, framesPerSecond: 0.0125, frames: 5)
        #expect(info.read(to: VideoEnding(frames: 5, last: 400_000_000)) == info)
    }
}

@Suite("Display matrices") struct DisplayMatrixTests {
    /// The stored corner pixels of each orientation, and their places after the matrix of the same name.
    @Test func `each of the eight turns as its EXIF number does`() {
        let matrices: [(Orientation, a: Int64, b: Int64, c: Int64, d: Int64)] = [
            (.up, 1, 0, 0, 1), (.upMirrored, -1, 0, 0, 1), (.down, -1, 0, 0, -1), (.downMirrored, 1, 0, 0, -1),
            (.leftMirrored, 0, 1, 1, 0), (.right, 0, 1, -1, 0), (.rightMirrored, 0, -1, -1, 0), (.left, 0, -1, 1, 0),
        ]
        // Three columns and two rows, each pixel with its own colour.
        let stored = PixelBuffer(width: 3, height: 2, bytes: (0..<18).map { UInt8($0) })
        for (orientation, a, b, c, d) in matrices {
            #expect(Orientation(a: a << 16, b: b << 16, c: c << 16, d: d << 16) == orientation)
            let upright = orientation.upright(stored)
            for y in 0..<2 {
                for x in 0..<3 {
                    // x' = a·x + c·y and y' = b·x + d·y, shifted into the picture.
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
        .frame(
            VideoFrame(
                time: 1_234_567_890, picture: PixelBuffer(width: 3, height: 2, bytes: [UInt8](repeating: 7, count: 18)))
        ),
        .progress(5), .end(VideoEnding(frames: 4, last: 9, damaged: 1, isTruncated: true, warnings: [.damaged(1)])),
        .failure(.tooManyPixels(width: 4, height: 5, limit: 6)),
    ]

    private func order(pixels: Int = 6, side: Int? = nil) -> WorkerOrder {
        WorkerOrder(command: .frames(every: nil, side: side), limits: VideoLimits(pixels: pixels))
    }

    /// Reads a message as the parent process does.
    private func read(_ bytes: [UInt8], for order: WorkerOrder) -> WorkerMessage? {
        let header = Array(bytes.prefix(WorkerMessage.headerSize))
        guard WorkerMessage.length(header: header, for: order) == bytes.count - header.count else { return nil }
        return WorkerMessage(header: header, payload: Array(bytes.dropFirst(header.count)), for: order)
    }

    @Test func `messages arrive unchanged`() throws {
        for message in messages { #expect(read(message.bytes, for: order()) == message) }
    }

    @Test func `a worker that is not to be trusted cannot make its parent take more than a frame`() {
        let frame = Array(messages[1].bytes.prefix(5))
        #expect(WorkerMessage.length(header: frame, for: order(pixels: 5)) == nil)
        #expect(WorkerMessage.length(header: frame, for: order(side: 2)) == nil)
        #expect(WorkerMessage.length(header: [0x66, 255, 255, 255, 255], for: order(pixels: 1 << 20)) == nil)
        #expect(WorkerMessage.length(header: [0x69, 0, 0, 2, 0], for: order(pixels: 1 << 20)) == nil)
        #expect(WorkerMessage.length(header: [0, 0, 0, 0, 0], for: order(pixels: 1)) == nil)
    }

    @Test func `payloads that are not what their kind says are no messages`() {
        #expect(WorkerMessage(header: [0x69, 1, 0, 0, 0], payload: [0x7B], for: order()) == nil)
        #expect(WorkerMessage(header: [0x70, 1, 0, 0, 0], payload: [1], for: order()) == nil)
        // The bytes announce 3 × 2 pixels with data for 5, then no pixels, then 2³² − 1 squared, whose size overflows
        // an Int.
        var bytes = Array(messages[1].bytes.dropFirst(5))
        #expect(WorkerMessage(header: [0x66, 0, 0, 0, 0], payload: bytes.dropLast(3), for: order()) == nil)
        bytes[8] = 0
        #expect(WorkerMessage(header: [0x66, 0, 0, 0, 0], payload: bytes, for: order()) == nil)
        for index in 8..<16 { bytes[index] = 255 }
        #expect(WorkerMessage(header: [0x66, 0, 0, 0, 0], payload: bytes, for: order()) == nil)
    }

    @Test(arguments: [
        #"{"tooLong":{"seconds":1e30,"limit":1e300}}"#, #"{"stalled":{"seconds":-1e30}}"#,
        #"{"tooManyPixels":{"width":9223372036854775807,"height":-9223372036854775808,"limit":0}}"#,
    ])
    func `impossible numbers in an error are reported or refused, and crash nothing`(_ text: String) {
        let bytes = [0x78, UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8)
        if case .failure(let error)? = read(bytes, for: order()) { #expect(!error.description.isEmpty) }
    }

    @Test func `an impossible message of a worker is refused`() {
        let said: [WorkerMessage] = [
            .progress(-5), .progress(.max), .end(VideoEnding(frames: -1, last: 9)),
            .end(VideoEnding(frames: 1, last: .max)),
            .info(VideoInfo(width: .max, height: .max, container: "mp4", codec: "h264")),
            .info(VideoInfo(width: 3, height: 2, container: "mp4", codec: "h264", duration: 1e30)),
            .info(
                VideoInfo(width: 3, height: 2, container: "mp4", codec: "h264", framesPerSecond: .leastNonzeroMagnitude)
            ),
            .info(VideoInfo(width: 3, height: 2, container: "mp4", codec: "h264", framesPerSecond: 1e30)),
            .info(VideoInfo(width: 3, height: 2, container: "mp4", codec: "h264", frames: .max)),
            .info(VideoInfo(width: 3, height: 2, container: "m\u{1B}[2J", codec: "h264")),
            .failure(.unreachable(String(repeating: "x", count: 9000))),
            .frame(
                VideoFrame(time: -1, picture: PixelBuffer(width: 3, height: 2, bytes: [UInt8](repeating: 7, count: 18)))
            ),
        ]
        for message in said {
            if case .info(let info) = message, info.framesPerSecond == .leastNonzeroMagnitude {
                // The rate is very low but valid. Computations with it do not overflow.
                #expect(info.interval == 1_000_000_000)
            } else {
                #expect(read(message.bytes, for: order()) == nil, "\(message)")
            }
        }
    }

    @Test func `whatever bytes come, nothing ends`() {
        var random = SystemRandomNumberGenerator()
        for message in messages {
            for _ in 0..<2000 {
                var bytes = message.bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                _ = WorkerMessage(
                    header: Array(bytes.prefix(WorkerMessage.headerSize)),
                    payload: Array(bytes.dropFirst(WorkerMessage.headerSize)), for: order())
            }
        }
    }
}

@Suite("Cameras of this machine") struct DeviceTextTests {
    @Test(arguments: [
        (ENOENT, "there is no such camera"), (EACCES, "group “video”"), (EBUSY, "another program uses"),
        (ENOTTY, "not a camera that shows pictures"), (ENODEV, "not a camera that shows pictures"),
        (EIO, "Input/output error"),
    ]) func `why one cannot be opened is said in words`(_ code: Int32, _ words: String) {
        #expect(FFmpegError.deviceText(-code).contains(words))
    }
}

@Suite("Cameras of the network", .slow) struct SilentCameraTests {
    /// FFmpeg says that the data of a silent RTSP camera are invalid, and that a silent HTTP camera timed out.
    @Test(arguments: ["rtsp", "http"]) func `one that does not answer is called that`(scheme: String) throws {
        let port = try MQTTBroker.freePort()
        let socket = try ListeningSocket.open(port: port)
        defer { close(socket) }
        let error = #expect(throws: VideoError.self) {
            _ = try VideoInput(.address("\(scheme)://127.0.0.1:\(port)/x", format: nil), limits: VideoLimits())
        }
        #expect("\(try #require(error))".contains("/x cannot be opened: no answer for 10 s."))
    }
}
