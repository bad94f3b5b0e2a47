import Base
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Video

/// Videos for tests: real clips, and others made by FFmpeg's program.
enum TestVideos {
    /// The worker is the built program, not the test runner.
    static let program = HelperProgram(path: Program.menagerie.url.path)

    static let clips = SharedFolder.url.appending(path: "data/video")
    static let hasClips = FileManager.default.fileExists(atPath: clips.appending(path: "videos.csv").path)

    static let canRender = FilmMaker.isThere

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs `ffmpeg` with the arguments, followed by the file's path.
    static func render(_ arguments: [String], to file: URL) async throws {
        try await FilmMaker.render(arguments, to: file)
    }

    /// Writes a clockwise turn by 90°, as of an upright phone, into the track header of an MP4 (ISO/IEC 14496-12
    /// §8.3.2).
    static func turn(_ source: URL, to target: URL) throws {
        var bytes = Array(try Data(contentsOf: source))
        let header = try #require(bytes.firstRange(of: Array("tkhd".utf8)))
        let matrix: [UInt32] = [0, 0x1_0000, 0, 0xFFFF_0000, 0, 0, 0, 0, 0x4000_0000]
        for (index, value) in matrix.enumerated() {
            for byte in 0..<4 {
                bytes[header.upperBound + 40 + index * 4 + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte))
            }
        }
        try Data(bytes).write(to: target)
    }

    /// A moving picture of this many seconds.
    static func source(_ size: String = "320x240", rate: Int = 25, seconds: Double = 2) -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=\(rate):duration=\(seconds)"]
    }
}

/// A file that is open for reading. It is closed with its owner.
final class OpenVideo: Sendable {
    let descriptor: CInt

    init(_ url: URL) throws {
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TestVideos.Failure(description: "open \(url.path): \(errno)") }
    }

    deinit { close(descriptor) }
}

struct Reading {
    var info: VideoInfo
    var frames: [VideoFrame] = []
    var ending = VideoEnding()

    init(
        _ url: URL, every: Double? = nil, side: Int? = nil, limits: VideoLimits = VideoLimits(),
        frame: ((VideoReader, VideoFrame) throws -> Void)? = nil
    ) async throws {
        let file = try OpenVideo(url)
        let order = WorkerOrder(command: .frames(every: every, side: side), limits: limits, threads: 1)
        let reader = try await VideoReader.open(order, program: TestVideos.program, input: file.descriptor)
        info = reader.info
        loop: while true {
            switch try await reader.next() {
            case .frame(let next):
                try frame?(reader, next)
                frames.append(next)
            case .progress: continue
            case .end(let ending):
                self.ending = ending
                break loop
            }
        }
    }
}

/// Runs a test with a temporary folder.
func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "video-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

func thrown(_ body: () async throws -> Void) async -> VideoError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? VideoError
    }
}
