import Foundation
import Glibc
import Imaging
import Testing

@testable import Video

@Suite("The annotated file", .enabled(if: TestVideos.canRender)) struct AnnotatedTests {
    func annotate(_ url: URL, _ drawing: VideoDrawing, to output: URL) async throws -> VideoEnding {
        let file = try OpenVideo(url)
        let description = output.appendingPathExtension("json")
        try JSONEncoder().encode(drawing).write(to: description)
        let drawingFile = try OpenVideo(description)
        let target = open(output.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(target) }
        let reader = try await VideoReader.open(
            WorkerOrder(command: .annotate(side: 1920), limits: VideoLimits()), program: TestVideos.program,
            input: file.descriptor, drawing: drawingFile.descriptor, output: target)
        while true {
            if case .end(let ending) = try await reader.next() { return ending }
        }
    }

    @Test func `it is not written to its end after it is removed`() async throws {
        try await withFolder { folder in
            let (file, output) = (folder.appending(path: "in.mkv"), folder.appending(path: "out.mp4"))
            try await TestVideos.render(TestVideos.source("640x480", rate: 30, seconds: 10), to: file)
            let input = try OpenVideo(file)
            let target = open(output.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(target) }
            unlink(output.path)
            let error = await thrown {
                _ = try await AnnotatedFile.write(
                    frame, of: input.descriptor, to: target, limits: VideoLimits(), program: TestVideos.program
                ) { _ in }
            }
            #expect(error == .cancelled)
        }
    }

    private let frame = VideoDrawing(
        hold: 10_000,
        paths: [
            .init(
                text: "Mantšuriankurki", colour: 1,
                places: [.init(milliseconds: 400, x: 0.25, y: 0.25, width: 0.5, height: 0.5, confidence: 1)])
        ])

    @Test(arguments: ["aac", "libmp3lame", "libopus", "libvorbis", "pcm_s16le"])
    func `pictures and sound are there, drawn where and when they should be`(_ sound: String) async throws {
        try await withFolder { folder in
            let (file, output) = (folder.appending(path: "in.mkv"), folder.appending(path: "out.mp4"))
            try await TestVideos.render(
                ["-f", "lavfi", "-i", "color=gray:size=320x240:rate=25:duration=1"] + [
                    "-f", "lavfi", "-i", "sine=duration=1:sample_rate=48000", "-c:v", "libx264", "-c:a", sound,
                ], to: file)
            let ending = try await annotate(file, frame, to: output)
            #expect(ending.warnings.isEmpty)
            let reading = try await Reading(output)
            #expect(reading.info.codec == "h264")
            #expect(reading.info.audioCodec == (sound == "libmp3lame" ? "mp3" : "aac"))
            #expect(reading.frames.count == 25)
            #expect(abs((reading.info.duration ?? 0) - 1) < 0.1)
            // The left edge of the frame, in its blue colour, from 400 ms on.
            func edge(_ index: Int) -> [Int] {
                let picture = reading.frames[index].picture
                return (0..<3).map { Int(picture.bytes[(120 * picture.width + 80) * 3 + $0]) }
            }
            #expect(zip(edge(9), [128, 128, 128]).allSatisfy { abs($0 - $1) < 12 }, "\(edge(9))")
            #expect(zip(edge(12), [0, 98, 155]).allSatisfy { abs($0 - $1) < 40 }, "\(edge(12))")
            // The index comes before the data, so the film can be played while it loads.
            let bytes = try Data(contentsOf: output)
            let index = try #require(bytes.firstRange(of: Data("moov".utf8)))
            let data = try #require(bytes.firstRange(of: Data("mdat".utf8)))
            #expect(index.lowerBound < data.lowerBound)
        }
    }

    @Test func `odd sides, a turned picture and irregular times come out upright and in time`() async throws {
        try await withFolder { folder in
            let (file, turned) = (folder.appending(path: "in.mkv"), folder.appending(path: "turned.mp4"))
            let output = folder.appending(path: "out.mp4")
            try await TestVideos.render(
                TestVideos.source("322x242", seconds: 1) + [
                    "-vf", "crop=321:241,select='lt(n,5)+not(mod(n,10))'", "-vsync", "vfr", "-c:v", "libx264",
                    "-pix_fmt", "yuv444p",
                ], to: file)
            let lying = folder.appending(path: "lying.mp4")
            try await TestVideos.render(["-i", file.path, "-c", "copy"], to: lying)
            try TestVideos.turn(lying, to: turned)
            _ = try await annotate(turned, VideoDrawing(hold: 0, paths: []), to: output)
            let (before, reading) = (try await Reading(turned), try await Reading(output))
            #expect(reading.info.orientation == .up)
            #expect(abs(reading.info.width - 241) <= 1 && abs(reading.info.height - 321) <= 1)
            #expect(reading.frames.map(\.milliseconds) == before.frames.map(\.milliseconds))
        }
    }

    /// Whether a film has sound at these times, in seconds.
    private func isLoud(_ film: URL, at seconds: [Double]) async throws -> [Bool] {
        let samples = film.appendingPathExtension("raw")
        try await TestVideos.render(
            ["-i", film.path, "-map", "0:a", "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", "48000"]
                + ["-f", "s16le"], to: samples)
        let bytes = Array(try Data(contentsOf: samples))
        return seconds.map { second in
            // The upper byte of a sample is far from 0 and -1 if it is loud.
            let start = Int(second * 48_000) * 2
            return stride(from: start + 1, to: min(bytes.count, start + 4_800), by: 2).contains {
                (4..<252).contains(bytes[$0])
            }
        }
    }

    @Test(arguments: [
        ["mp2", "in.ts", "0"], ["aac", "in.ts", "0"], ["libopus", "in.mkv", "5"], ["aac", "in.mkv", "5"],
    ])
    func `sound stays with its pictures, wherever the clock begins`(_ form: [String]) async throws {
        try await withFolder { folder in
            let (file, output) = (folder.appending(path: form[1]), folder.appending(path: "out.mp4"))
            try await TestVideos.render(
                TestVideos.source(seconds: 3) + [
                    "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2764*t)*between(t\\,1\\,2):sample_rate=48000:duration=3",
                    "-c:v", "libx264", "-c:a", form[0], "-output_ts_offset", form[2],
                ], to: file)
            let ending = try await annotate(file, VideoDrawing(hold: 0, paths: []), to: output)
            #expect(ending.warnings.isEmpty)
            #expect(try await isLoud(output, at: [0.5, 0.8, 1.2, 1.8, 2.2]) == [false, false, true, true, false])
        }
    }

    @Test func `a pause in the sound stays as long as it is`() async throws {
        try await withFolder { folder in
            let (file, output) = (folder.appending(path: "in.mkv"), folder.appending(path: "out.mp4"))
            try await TestVideos.render(
                TestVideos.source(seconds: 8) + [
                    "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2764*t):sample_rate=48000:duration=8",
                    "-c:v", "libx264", "-af", "aselect='lt(t,2)+gt(t,5)'", "-c:a", "pcm_s16le",
                ], to: file)
            let ending = try await annotate(file, VideoDrawing(hold: 0, paths: []), to: output)
            #expect(ending.warnings.isEmpty)
            #expect(
                try await isLoud(output, at: [1, 1.8, 2.3, 3.5, 4.8, 5.3, 7])
                    == [true, true, false, false, false, true, true])
        }
    }

    @Test(.enabled(if: TestVideos.hasClips)) func `sound that fails costs no pictures`() async throws {
        try await withFolder { folder in
            let output = folder.appending(path: "out.mp4")
            _ = try await annotate(
                TestVideos.clips.appending(path: "odd_failing_audio.mp4"), frame, to: output)
            let reading = try await Reading(output, side: 64)
            #expect(reading.frames.count == 280)
            #expect(reading.info.audioCodec == "mp3")
        }
    }
}
