import Foundation
import Glibc
import TestSupport
import Testing

@testable import Video

@Suite("Bad videos", .slow, .enabled(if: TestVideos.canRender)) struct HostileTests {
    private func failure(of bytes: [UInt8], named name: String = "a.mp4") async throws -> VideoError? {
        try await withFolder { folder in
            let file = folder.appending(path: name)
            try Data(bytes).write(to: file)
            return await thrown { _ = try await Reading(file, side: 64) }
        }
    }

    @Test func `nothing, a text, a picture, an archive`() async throws {
        #expect(try await failure(of: []) == .empty)
        #expect(try await failure(of: Array("Dear service, this is no video.\n".utf8)) == .notAVideo)
        #expect(try await failure(of: [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 400)) == .notAVideo)
        #expect(try await failure(of: [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0, count: 400)) == .notAVideo)
        #expect(try await failure(of: [UInt8](repeating: 0, count: 100_000)) == .notAVideo)
    }

    @Test func `sound alone, and sound with a cover`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.mp4")
            try await TestVideos.render(
                ["-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac"], to: file)
            let alone = await thrown { _ = try await Reading(file) }
            #expect(alone == .noPictures)
            let (cover, covered) = (folder.appending(path: "cover.png"), folder.appending(path: "b.m4a"))
            try await TestVideos.render(TestVideos.source(seconds: 0.04) + ["-frames:v", "1"], to: cover)
            try await TestVideos.render(
                [
                    "-i", file.path, "-i", cover.path, "-map", "0", "-map", "1", "-c", "copy", "-disposition:v",
                    "attached_pic", "-f", "mp4",
                ], to: covered)
            let withCover = await thrown { _ = try await Reading(covered) }
            #expect(withCover == .noPictures)
        }
    }

    @Test func `cut off: the readable part is shown and reported as cut off`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.mp4")
            try await TestVideos.render(
                TestVideos.source(seconds: 8) + ["-c:v", "libx264", "-g", "25", "-movflags", "+faststart"], to: file)
            let bytes = Array(try Data(contentsOf: file))
            try Data(bytes.prefix(bytes.count / 2)).write(to: file)
            let reading = try await Reading(file, side: 64)
            #expect(reading.frames.count > 50 && reading.frames.count < 150)
            #expect(reading.ending.isTruncated)
            // The index at the end is missing, so nothing can be decoded.
            let plain = folder.appending(path: "b.mp4")
            try await TestVideos.render(TestVideos.source(seconds: 2) + ["-c:v", "libx264"], to: plain)
            let whole = Array(try Data(contentsOf: plain))
            try Data(whole.prefix(whole.count / 2)).write(to: plain)
            let error = await thrown { _ = try await Reading(plain) }
            #expect(error == .corrupt("its index is missing, as in a recording that was cut off."))
        }
    }

    @Test func `10,000 × 10,000 pixels are refused before they are decoded`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.avi")
            try await TestVideos.render(
                [
                    "-f", "lavfi", "-i", "color=size=10000x10000:rate=1:duration=1", "-c:v", "mjpeg", "-pix_fmt",
                    "yuvj420p",
                ],
                to: file)
            let error = await thrown { _ = try await Reading(file) }
            #expect(error == .tooManyPixels(width: 10_000, height: 10_000, limit: VideoLimits().pixels))
        }
    }

    /// The container states 320 × 240 pixels, but its pictures are larger.
    @Test func `a header that lies about the size`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.avi")
            try await TestVideos.render(
                [
                    "-f", "lavfi", "-i", "color=size=3000x2000:rate=5:duration=1", "-c:v", "mjpeg", "-pix_fmt",
                    "yuvj420p",
                ],
                to: file)
            var bytes = Array(try Data(contentsOf: file))
            let format = try #require(bytes.firstRange(of: Array("strf".utf8)))
            for (offset, value) in [(8 + 4, 320), (8 + 8, 240)] {
                for byte in 0..<4 { bytes[format.lowerBound + offset + byte] = UInt8(value >> (8 * byte) & 255) }
            }
            try Data(bytes).write(to: file)
            var limits = VideoLimits()
            limits.pixels = 1_000_000
            let error = await thrown { _ = try await Reading(file, limits: limits) }
            #expect(error == .tooManyPixels(width: 3000, height: 2000, limit: 1_000_000))
        }
    }

    @Test func `24 hours, whether the header says so or not`() async throws {
        try await withFolder { folder in
            for name in ["a.mp4", "a.ts"] {
                let file = folder.appending(path: name)
                // One frame per minute.
                try await TestVideos.render(
                    [
                        "-f", "lavfi", "-i", "color=size=64x64:rate=1/60:duration=86400", "-c:v", "mpeg2video", "-r",
                        "25",
                        "-vsync", "passthrough",
                    ], to: file)
                let error = await thrown { _ = try await Reading(file, side: 64) }
                guard case .tooLong(let seconds, 7200) = error else {
                    Issue.record("\(name): \(String(describing: error))")
                    continue
                }
                #expect(seconds > 7200)
            }
        }
    }

    @Test func `broken bits anywhere end in an answer`() async throws {
        try await withFolder { folder in
            for (name, arguments) in [
                ("a.mp4", ["-c:v", "libx264"]), ("a.webm", ["-c:v", "libvpx", "-deadline", "realtime"]), ("a.gif", []),
            ] {
                let file = folder.appending(path: name)
                try await TestVideos.render(TestVideos.source("160x120", seconds: 1) + arguments, to: file)
                let bytes = Array(try Data(contentsOf: file))
                var generator = SeededNumbers(seed: 7)
                for _ in 0..<12 {
                    var broken = bytes
                    for _ in 0..<Int.random(in: 1...200, using: &generator) {
                        broken[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                            in: 0...255, using: &generator)
                    }
                    try Data(broken).write(to: file)
                    let error = await thrown { _ = try await Reading(file, side: 64) }
                    if case .system(let reason)? = error { Issue.record("\(reason)") }
                    if case .stalled? = error { Issue.record("stalled") }
                }
            }
        }
    }
}

@Suite("Files that refer to others", .enabled(if: TestVideos.canRender)) struct ReferenceTests {
    /// A listener on a free port that counts its clients.
    private final class Trap {
        let port: Int
        private let descriptor: CInt

        init() throws {
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let code = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                        ? getsockname(descriptor, $0, &length) : -1
                }
            }
            guard code == 0 else { throw TestVideos.Failure(description: "listen: \(errno)") }
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        var isSprung: Bool {
            let caller = accept(descriptor, nil, nil)
            if caller >= 0 { close(caller) }
            return caller >= 0
        }

        deinit { close(descriptor) }
    }

    @Test func `playlists are not followed, neither to files nor to addresses`() async throws {
        try await withFolder { folder in
            let trap = try Trap()
            let secret = folder.appending(path: "secret.mp4")
            try await TestVideos.render(TestVideos.source(seconds: 0.4) + ["-c:v", "libx264"], to: secret)
            let address = "http://127.0.0.1:\(trap.port)/a"
            let playlists: [(String, String)] = [
                ("a.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\(address).ts\n#EXT-X-ENDLIST\n"),
                ("b.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\(secret.path)\n#EXT-X-ENDLIST\n"),
                ("c.ffconcat", "ffconcat version 1.0\nfile '\(secret.path)'\n"),
                ("d.ffconcat", "ffconcat version 1.0\nfile '\(address).mp4'\n"),
                (
                    "e.mpd",
                    """
                    <?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" \
                    mediaPresentationDuration="PT10S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" \
                    bandwidth="1"><BaseURL>\(address).mp4</BaseURL></Representation></AdaptationSet></Period></MPD>
                    """
                ),
                (
                    "f.sdp",
                    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video \(trap.port) RTP/AVP 96\n"
                ),
                ("g.asx", "<asx version=\"3.0\"><entry><ref href=\"\(address)\"/></entry></asx>"),
            ]
            for (name, text) in playlists {
                for end in [name, name + ".mp4"] {
                    let file = folder.appending(path: end)
                    try Data(text.utf8).write(to: file)
                    let error = await thrown { _ = try await Reading(file) }
                    #expect(error == .notAVideo, "\(end)")
                }
            }
            #expect(!trap.isSprung)
        }
    }

    /// A QuickTime file whose pictures are in another file (a data reference, ISO/IEC 14496-12 §8.7.2).
    @Test func `a data reference to another file shows nothing of it`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.mov")
            try await TestVideos.render(TestVideos.source(seconds: 0.4) + ["-c:v", "libx264"], to: file)
            var bytes = Array(try Data(contentsOf: file))
            // Changes the box "url " with the flag “in this file” to one without it.
            let reference = try #require(bytes.lastRange(of: Array("url ".utf8)))
            bytes[reference.upperBound + 3] = 0
            try Data(bytes).write(to: file)
            let error = await thrown { _ = try await Reading(file) }
            if case .system? = error { Issue.record("\(String(describing: error))") }
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate func lastRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        return (0...(count - other.count)).last { self[$0..<$0 + other.count].elementsEqual(other) }
            .map { $0..<$0 + other.count }
    }
}
