import Base
import Foundation
import Imaging
import TestSupport
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

@Suite struct PacketDozeTests {
    /// A camera with ten pictures per second. One picture in twenty depends on no other.
    private func steps(
        _ packets: Range<Int>, in doze: inout PacketDoze, bytes: (Int) -> Int = { _ in 500 }
    ) -> [PacketDoze.Step] {
        packets.map { index in
            let isKey = index.isMultiple(of: 20)
            return doze.step(.init(bytes: isKey ? 9000 : bytes(index), isKey: isKey, time: Double(index) / 10))
        }
    }

    private func still() -> PacketDoze {
        var doze = PacketDoze(looksPerSecond: 5, isIntraOnly: false)
        let found1 = steps(0..<20, in: &doze)
        #expect(found1.allSatisfy { $0 == .decode })
        doze.isStill = true
        return doze
    }

    @Test func whileNothingMovesOnlyKeysAreDecoded() {
        var doze = still()
        let found2 = steps(20..<60, in: &doze)
        #expect(found2.filter { $0 != .keep } == [.glance, .glance])
    }

    @Test func aPacketThatGrowsWakesAtOnce() {
        var doze = still()
        let found = steps(20..<50, in: &doze) { $0 == 33 ? 3000 : 500 }
        #expect(found[12...14] == [.keep, .wake, .decode])
        // Where nothing was seen, it rests again at the next such picture, a second later.
        #expect(found[20] == .decode)
        let found3 = steps(50..<62, in: &doze)
        #expect(found3[10...11] == [.glance, .keep])
    }

    @Test func wherePacketsAreLargeAnywayAllIsDecoded() {
        var doze = still()
        let steps = steps(0..<100, in: &doze) { _ in 2000 }
        #expect(steps[40...].allSatisfy { $0 == .decode })
    }

    @Test func aMovementSeenAtAGlanceWakes() {
        var doze = still()
        _ = steps(20..<21, in: &doze)
        doze.isStill = false
        let found4 = steps(21..<23, in: &doze)
        #expect(found4 == [.wake, .decode])
    }

    @Test func whereKeysAreRareAllIsDecoded() {
        var doze = still()
        _ = steps(20..<21, in: &doze)
        let found = (21..<60).map { doze.step(.init(bytes: 500, isKey: false, time: Double($0) / 10)) }
        #expect(found.firstIndex(of: .wake) == 25)
        #expect(found[26...].allSatisfy { $0 == .decode })
    }

    @Test func whatIsKeptHasALimit() {
        var doze = PacketDoze(looksPerSecond: 5, isIntraOnly: false)
        doze.isStill = true
        for index in 0..<40 { _ = doze.step(.init(bytes: 100_000, isKey: false, time: Double(index) / 1000)) }
        let key = doze.step(.init(bytes: 900_000, isKey: true, time: 1))
        #expect(key == .glance)
        let found = (0..<40).map { doze.step(.init(bytes: 100_000, isKey: false, time: 1 + Double($0) / 1000)) }
        #expect(found.firstIndex(of: .wake) == 32, "\(found)")
    }

    @Test func picturesThatNeedNoOtherAreGlancedAtTwiceASecond() {
        var doze = PacketDoze(looksPerSecond: 5, isIntraOnly: true)
        doze.isStill = true
        let found = (0..<40).map { doze.step(.init(bytes: 90_000, isKey: true, time: Double($0) / 20)) }
        #expect(found.filter { $0 == .glance }.count == 5, "\(found)")
        #expect(found.allSatisfy { $0 == .glance || $0 == .restart })
        doze.isStill = false
        let awake = (40..<60).map { doze.step(.init(bytes: 90_000, isKey: true, time: Double($0) / 20)) }
        #expect(awake.filter { $0 == .decode }.count == 5, "\(awake)")
    }

    @Test func aClockThatIsSetBackEndsNothing() {
        var doze = still()
        _ = steps(100..<101, in: &doze)
        let found5 = steps(20..<61, in: &doze)
        #expect(found5.filter { $0 == .glance }.count == 3)
    }
}

@Suite("Watching a camera", .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(5))) struct WatchingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A grey yard of 30 s with 10 pictures per second. A white box crosses it from 12.5 to 15 s.
    private func yard(_ options: [String]) async throws -> URL {
        let url = URL(filePath: folder.path).appending(path: "yard.mp4")
        let box = "color=c=white:s=200x150:r=10:d=30"
        try await FilmMaker.render(
            [
                "-f", "lavfi", "-i", "color=c=0x6a7a5a:s=1280x720:r=10:d=30,noise=alls=4:allf=t+u", "-f", "lavfi",
                "-i", box, "-filter_complex", "[0:v][1:v]overlay=x='(t-12)*250':y=300:enable='between(t,12.5,15)'",
                "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "34", "-g", "20",
                "-sc_threshold", "0",
            ] + options, to: url)
        return url
    }

    private func watch(_ url: URL, ignoring: [PictureRegion] = []) async throws -> (all: [VideoFrame], woke: Double?) {
        let file = try OpenVideo(url)
        let order = WorkerOrder(
            command: .watch(every: 5, side: 320, ignoring: ignoring), limits: VideoLimits(), threads: 1)
        let reader = try await VideoReader.open(order, program: TestVideos.program, input: file.descriptor)
        defer { reader.cancel() }
        var frames: [VideoFrame] = []
        while true {
            switch try await reader.next() {
            case .frame(let frame): frames.append(frame)
            case .progress: continue
            case .end:
                let woke = frames.first { $0.isLively && $0.time > 6_000_000 }
                return (frames, woke.map { Double($0.time) / 1_000_000 })
            }
        }
    }

    @Test(arguments: [["-bf", "0"], ["-bf", "2"]])
    func aYardThatIsStillIsNotShownAndWhatMovesIsAtOnce(options: [String]) async throws {
        let (frames, woke) = try await watch(try await yard(options))
        // The first moving picture, and the three seconds after it.
        #expect(frames.filter { $0.time <= 3_000_000 }.allSatisfy { $0.isLively })
        let still = frames.filter { (4_100_000..<12_400_000).contains($0.time) }
        #expect(still.allSatisfy { !$0.isLively } && (3...9).contains(still.count), "\(still.map(\.time))")
        let woken = try #require(woke)
        #expect((12.4...12.9).contains(woken), "\(woken)")
        let moving = frames.filter { (13_000_000..<15_000_000).contains($0.time) }
        #expect(moving.count == 10 && moving.allSatisfy { $0.isLively }, "\(moving.map(\.time))")
        #expect(frames.contains { $0.time > 25_000_000 && !$0.isLively })
        let isAscending = zip(frames, frames.dropFirst()).allSatisfy { $0.time < $1.time }
        #expect(isAscending)
    }

    @Test func whatMovesIsSeenThoughNoPacketTells() async throws {
        // Every picture has the same number of bytes, whatever it shows.
        let url = try await yard([
            "-bf", "0", "-b:v", "1M", "-minrate", "1M", "-maxrate", "1M", "-bufsize", "100k", "-nal-hrd", "cbr",
        ])
        let woken = try #require(try await watch(url).woke)
        #expect((12.4...12.9).contains(woken), "\(woken)")
    }

    @Test func picturesThatNeedNoOtherAreWatchedToo() async throws {
        let url = URL(filePath: folder.path).appending(path: "yard.avi")
        let source = try await yard(["-bf", "0"])
        try await FilmMaker.render(["-i", source.path, "-c:v", "mjpeg", "-q:v", "3"], to: url)
        let (frames, woke) = try await watch(url)
        #expect(frames.filter { (4_100_000..<12_400_000).contains($0.time) }.count <= 10)
        let woken = try #require(woke)
        #expect((12.4...13.1).contains(woken), "\(woken)")
    }

    @Test(arguments: [("jpg", "snapshot"), ("jpg", "snapshot.jpg"), ("png", "snapshot")])
    func anAddressWithASinglePictureIsAskedAgain(format: String, path: String) async throws {
        let source = try await yard(["-bf", "0"])
        var pictures: [[UInt8]] = []
        for second in ["5", "14"] {
            let url = URL(filePath: folder.path).appending(path: "\(second).\(format)")
            try await FilmMaker.render(["-ss", second, "-i", source.path, "-frames:v", "1"], to: url)
            pictures.append(Array(try Data(contentsOf: url)))
        }
        // The box is there from the ninth picture on.
        let asked = Locked(0)
        let camera = try HTTPReceiver { [pictures] _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return (200, "Content-Type: image/\(format == "jpg" ? "jpeg" : format)\r\n", pictures[number < 9 ? 0 : 1])
        }
        let order = WorkerOrder(
            command: .watch(every: 5, side: 320, ignoring: []), address: "http://127.0.0.1:\(camera.port)/\(path)",
            limits: VideoLimits(), threads: 1)
        let reader = try await VideoReader.open(order, program: TestVideos.program, input: nil)
        defer { reader.cancel() }
        var frames: [VideoFrame] = []
        while frames.last.map({ $0.time < 4_000_000 || !$0.isLively }) ?? true, frames.count < 60 {
            if case .frame(let frame) = try await reader.next() { frames.append(frame) }
        }
        #expect(frames.contains { $0.time > 3_000_000 && !$0.isLively }, "\(frames.map(\.time))")
        #expect(frames.last?.isLively == true)
        #expect((8...12).contains(asked.withLock(\.self)), "\(asked.withLock(\.self))")
    }

    @Test(arguments: [WorkerCommand.watch(every: 5, side: 320, ignoring: []), .frames(every: 5, side: 320)])
    func aCameraMayChangeTheSizeOfItsPictures(command: WorkerCommand) async throws {
        var stream: [UInt8] = []
        for size in ["320x240", "640x360"] {
            let url = URL(filePath: folder.path).appending(path: "\(size).ts")
            try await FilmMaker.render(TestVideos.source(size, seconds: 2) + ["-c:v", "libx264"], to: url)
            stream += Array(try Data(contentsOf: url))
        }
        let camera = try HTTPReceiver { [stream] _ in (200, "Content-Type: video/mp2t\r\n", stream) }
        let order = WorkerOrder(
            command: command, address: "http://127.0.0.1:\(camera.port)/v.ts", limits: VideoLimits(), threads: 1)
        let reader = try await VideoReader.open(order, program: TestVideos.program, input: nil)
        defer { reader.cancel() }
        var heights: [Int] = []
        loop: while true {
            switch try await reader.next() {
            case .frame(let frame):
                #expect(frame.picture.width == 320)
                heights.append(frame.picture.height)
            case .progress: continue
            case .end: break loop
            }
        }
        #expect(heights == [Int](repeating: 240, count: 10) + [Int](repeating: 180, count: 10))
    }

    @Test func whatMovesInAnIgnoredRegionDoesNotWake() async throws {
        let url = try await yard(["-bf", "0"])
        let (_, woke) = try await watch(url, ignoring: [.init(x: 0, y: 0.3, width: 1, height: 0.5)])
        #expect(woke == nil)
    }
}
