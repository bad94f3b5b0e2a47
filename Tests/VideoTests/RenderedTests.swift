import Foundation
import Imaging
import TestSupport
import Testing

@testable import Video

@Suite("Containers, codecs and shapes", .enabled(if: TestVideos.canRender)) struct RenderedTests {
    private static let forms: [(name: String, arguments: [String], codec: String, container: String)] = [
        ("a.mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p"], "h264", "mp4"),
        ("b.mov", ["-c:v", "libx264", "-pix_fmt", "yuv420p"], "h264", "mp4"),
        ("c.mkv", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"], "hevc", "matroska"),
        ("d.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"], "vp8", "matroska"),
        ("e.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"], "vp9", "matroska"),
        ("f.mp4", ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"], "av1", "mp4"),
        ("g.avi", ["-c:v", "mpeg4"], "mpeg4", "avi"),
        ("h.avi", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], "mjpeg", "avi"),
        ("i.gif", ["-pix_fmt", "rgb8"], "gif", "gif"),
        ("j.ts", ["-c:v", "mpeg2video"], "mpeg2video", "mpegts"),
        ("k.mp4", ["-c:v", "libx264", "-pix_fmt", "yuv444p10le"], "h264", "mp4"),
    ]

    @Test(arguments: forms.indices) func `every form is read, whole and in its colours`(_ index: Int) async throws {
        let form = Self.forms[index]
        try await withFolder { folder in
            let file = folder.appending(path: form.name)
            // The left half is red and the right half blue.
            let picture =
                "color=red:size=160x120:rate=10:duration=1[a];color=blue:size=160x120:rate=10:duration=1[b];"
                + "[a][b]hstack"
            try await TestVideos.render(["-filter_complex", picture] + form.arguments, to: file)
            let reading = try await Reading(file)
            #expect(reading.info.codec == form.codec)
            #expect(reading.info.container == form.container)
            #expect(reading.info.width == 320)
            #expect(reading.info.height == 120)
            #expect(reading.frames.count == 10)
            let frame = try #require(reading.frames.last?.picture)
            func pixel(_ x: Int, _ y: Int) -> [Int] {
                (0..<3).map { Int(frame.bytes[(y * frame.width + x) * 3 + $0]) }
            }
            #expect(zip(pixel(40, 60), [254, 0, 0]).allSatisfy { abs($0 - $1) < 12 }, "\(form.name) \(pixel(40, 60))")
            #expect(zip(pixel(280, 60), [0, 0, 254]).allSatisfy { abs($0 - $1) < 12 }, "\(pixel(280, 60))")
        }
    }

    @Test func `a phone held upright: turned by what the file says`() async throws {
        try await withFolder { folder in
            let (lying, turned) = (folder.appending(path: "lying.mp4"), folder.appending(path: "turned.mp4"))
            try await TestVideos.render(TestVideos.source("320x240", seconds: 0.4) + ["-c:v", "libx264"], to: lying)
            try TestVideos.turn(lying, to: turned)
            let (plain, reading) = (try await Reading(lying), try await Reading(turned))
            #expect(reading.info.orientation != .up)
            #expect(reading.info.width == 240)
            #expect(reading.info.height == 320)
            let stored = try #require(plain.frames.first).picture
            #expect(reading.frames.first?.picture == reading.info.orientation.upright(stored))
            #expect(reading.info.orientation == .right)
        }
    }

    @Test func `a piece of a longer recording is as long as its pictures`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "piece.mkv")
            try await TestVideos.render(
                TestVideos.source(seconds: 2) + ["-vf", "setpts=PTS+9000/TB", "-copyts", "-c:v", "libx264"], to: file)
            let reading = try await Reading(file, side: 64)
            #expect(reading.frames.count == 50)
            #expect(reading.info.frames == 50)
            #expect(abs((reading.info.duration ?? 0) - 2) < 0.1)
            #expect(!reading.ending.isTruncated)
        }
    }

    @Test func `a film with a picture every ten seconds is whole`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "slow.mp4")
            try await TestVideos.render(
                TestVideos.source(rate: 1, seconds: 6) + ["-vf", "setpts=10*PTS", "-r", "0.1", "-c:v", "libx264"],
                to: file)
            let reading = try await Reading(file, side: 64)
            #expect(reading.frames.map(\.milliseconds) == (0..<6).map { $0 * 10_000 })
            #expect(!reading.ending.isTruncated)
        }
    }

    /// The second recording may begin at the same time as the first, or hours before it.
    @Test(arguments: [0, 9000]) func `a film joined from two recordings goes on where the clock begins anew`(
        _ offset: Int
    ) async throws {
        try await withFolder { folder in
            let (first, second) = (folder.appending(path: "first.ts"), folder.appending(path: "second.ts"))
            let joined = folder.appending(path: "joined.ts")
            let source =
                TestVideos.source(seconds: 3) + ["-f", "lavfi", "-i", "sine=duration=3:sample_rate=48000"]
                + ["-c:a", "aac", "-c:v", "libx264"]
            try await TestVideos.render(source + ["-output_ts_offset", "\(offset)"], to: first)
            try await TestVideos.render(source + ["-vf", "negate"], to: second)
            try (Data(contentsOf: first) + Data(contentsOf: second)).write(to: joined)
            let reading = try await Reading(joined, side: 64)
            #expect(reading.frames.count == 150)
            #expect(reading.ending.damaged == 0 && !reading.ending.isTruncated, "\(reading.ending)")
            #expect(reading.frames.map(\.milliseconds) == (0..<150).map { $0 * 40 })
            let file = try OpenVideo(joined)
            for index in [1, 60, 74, 75, 76, 100, 149] {
                let frame = try await VideoReader.picture(
                    of: file.descriptor, at: reading.frames[index].milliseconds, side: 64, limits: VideoLimits(),
                    program: TestVideos.program)
                #expect(frame == reading.frames[index], "\(index)")
            }
            let output = folder.appending(path: "out.mp4")
            let ending = try await AnnotatedTests().annotate(joined, VideoDrawing(hold: 0, paths: []), to: output)
            #expect(ending.warnings.isEmpty)
            let copy = try await Reading(output, side: 64)
            #expect(copy.frames.count == 150 && copy.info.audioCodec == "aac")
            #expect(abs((copy.info.duration ?? 0) - 6) < 0.2)
        }
    }

    @Test func `frames at irregular times keep them`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "irregular.mkv")
            // Of 50 frames at 25 per second, the first frame and then every tenth.
            try await TestVideos.render(
                TestVideos.source(seconds: 2) + [
                    "-vf", "select='lt(n,25)+not(mod(n,10))'", "-vsync", "vfr", "-c:v", "libx264",
                ], to: file)
            let reading = try await Reading(file, side: 64)
            #expect(reading.frames.map(\.milliseconds) == (0..<25).map { $0 * 40 } + [1200, 1600])
        }
    }

    /// The picture at a time, with 64 pixels of width.
    private func picture(of file: OpenVideo, at milliseconds: Int) async throws -> VideoFrame {
        try await VideoReader.picture(
            of: file.descriptor, at: milliseconds, side: 64, limits: VideoLimits(), program: TestVideos.program)
    }

    @Test func `a picture is in sight until the next one, however late that is`() async throws {
        try await withFolder { folder in
            let url = folder.appending(path: "pause.mp4")
            try await TestVideos.render(
                TestVideos.source(seconds: 2) + [
                    "-vf", "setpts='if(lt(N,25),N/25,N/25+9)/TB'", "-vsync", "vfr", "-c:v", "libx264",
                ], to: url)
            let file = try OpenVideo(url)
            for time in [960, 2_500, 6_000, 9_900] {
                #expect(try await picture(of: file, at: time).milliseconds == 960, "\(time)")
            }
            #expect(try await picture(of: file, at: 10_000).milliseconds == 10_000)
            #expect(await thrown { _ = try await picture(of: file, at: 13_000) } == .noFrame(milliseconds: 13_000))
        }
    }

    /// The indexes of these containers have the times at which pictures are decoded.
    @Test(arguments: ["film.avi", "film.flv"]) func `the picture before a key picture is found too`(
        _ name: String
    ) async throws {
        try await withFolder { folder in
            let url = folder.appending(path: name)
            try await TestVideos.render(
                TestVideos.source(seconds: 6) + ["-c:v", "libx264", "-bf", "3", "-g", "30", "-sc_threshold", "0"],
                to: url)
            let reading = try await Reading(url, side: 64)
            let file = try OpenVideo(url)
            for index in 86...92 {
                let frame = reading.frames[index]
                #expect(try await picture(of: file, at: frame.milliseconds) == frame, "\(index)")
            }
        }
    }

    @Test func `pixels that are no squares are made so`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "wide.mp4")
            try await TestVideos.render(
                TestVideos.source("360x288", seconds: 0.2) + ["-aspect", "16:9", "-c:v", "libx264"], to: file)
            let reading = try await Reading(file)
            #expect(reading.info.width == 512)
            #expect(reading.frames.first?.picture.width == 512)
            #expect(reading.frames.first?.picture.height == 288)
        }
    }

    @Test func `a film through a pipe, without seeking, is read too`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "fragments.mp4")
            try await TestVideos.render(
                TestVideos.source(seconds: 1) + ["-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov"], to: file)
            let again = try await Reading(file, side: 64)
            #expect(again.frames.count == 25)
        }
    }
}

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
