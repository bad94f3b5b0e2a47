import Base
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Video

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

    private func reader(_ url: URL, ignoring: [PictureRegion] = []) async throws -> VideoReader {
        let file = try OpenVideo(url)
        let order = WorkerOrder(
            command: .watch(every: 5, side: 320, ignoring: ignoring), limits: VideoLimits(), threads: 1)
        return try await VideoReader.open(order, program: TestVideos.program, input: file.descriptor)
    }

    private func watch(_ url: URL, ignoring: [PictureRegion] = []) async throws -> (all: [VideoFrame], woke: Double?) {
        let reader = try await reader(url, ignoring: ignoring)
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

    /// As on a busy machine, where the yard is still again before there is time for a picture.
    @Test func whatMovedWhileNobodyLookedIsNotForgotten() async throws {
        let reader = try await reader(try await yard(["-bf", "0"]))
        defer { reader.cancel() }
        let missed = Locked(0)
        var frames = reader.newestFrames { missed.withLock { $0 += 1 } }.makeAsyncIterator()
        #expect(try await frames.next()?.isLively == true)
        // The film is still in its last ten seconds.
        try await eventually { reader.identifier == nil }
        let newest = try #require(try await frames.next())
        #expect(newest.time > 20_000_000 && newest.isLively && missed.withLock(\.self) > 30)
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
