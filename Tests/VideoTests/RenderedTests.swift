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

    @Test func `the pictures of raw H.264, which has no times, are counted`() async throws {
        try await withFolder { folder in
            let url = folder.appending(path: "raw.h264")
            try await TestVideos.render(TestVideos.source(seconds: 4) + ["-c:v", "libx264"], to: url)
            let some = try await Reading(url, every: 5, side: 64)
            #expect(some.frames.map(\.milliseconds) == Array(stride(from: 0, to: 4000, by: 200)))
            let last = try #require(try await Reading(url, side: 64).frames.last)
            let file = try OpenVideo(url)
            let frame = try await VideoReader.picture(
                of: file.descriptor, at: last.milliseconds, side: 64, limits: VideoLimits(),
                program: TestVideos.program)
            #expect(frame == last)
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

    /// Two seconds of pictures with twenty seconds of sound.
    private func renderLongSound(to file: URL, codecs: (pictures: String, sound: String)) async throws {
        try await TestVideos.render(
            TestVideos.source(seconds: 2) + ["-f", "lavfi", "-i", "sine=duration=20:sample_rate=48000"]
                + ["-c:v", codecs.pictures, "-c:a", codecs.sound],
            to: file)
    }

    @Test(arguments: ["film.mkv", "film.webm", "film.mp4"])
    func `a film whose sound is longer is as long as its pictures`(_ name: String) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: name)
            try await renderLongSound(
                to: file, codecs: name.hasSuffix("webm") ? ("libvpx", "libopus") : ("libx264", "aac"))
            let reading = try await Reading(file, side: 64)
            #expect(reading.frames.count == 50)
            #expect(abs((reading.info.duration ?? 0) - 2) < 0.1, "\(reading.info)")
            #expect(!reading.ending.isTruncated)
        }
    }

    @Test(arguments: ["film.flv", "film.ts", "film.mpg"])
    func `a film whose sound is longer is whole, and a part of it is not`(_ name: String) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: name)
            try await renderLongSound(
                to: file, codecs: name.hasSuffix("flv") ? ("libx264", "aac") : ("mpeg2video", "mp2"))
            let reading = try await Reading(file, side: 64)
            #expect(reading.frames.count == 50)
            #expect(!reading.ending.isTruncated)
            guard name.hasSuffix("flv") else { return }
            // Only a file that states its duration tells that a part is missing.
            let whole = try Data(contentsOf: file)
            try whole.prefix(whole.count * 3 / 4).write(to: file)
            #expect(try await Reading(file, side: 64).ending.isTruncated)
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
            let found = reading.info.read(to: reading.ending)
            #expect(abs((found.duration ?? 0) - 6) < 0.1 && (148...152).contains(found.frames ?? 0), "\(reading.info)")
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
