import Foundation
import TestSupport
import Testing

extension LiveService {
    func addVideo(_ bytes: [UInt8], query: String = "", type: String = "video/mp4") async throws -> RawResponse {
        try await request(
            "POST", "/videos" + (query.isEmpty ? "" : "?" + query), headers: [("Content-Type", type)], body: bytes)
    }

    /// Waits for the end of the work on a video.
    func endOfVideo(_ path: String) async throws -> [String: any Sendable] {
        for _ in 0..<3000 {
            let video = try await request("GET", path).object()
            if let state = video["state"] as? String, state != "waiting", state != "working" { return video }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw RawClient.Failure(description: "the video is never done")
    }

    /// The contents of the folder of videos.
    var videoFolders: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: dataDirectory + "/videos")) ?? []
    }
}

/// A film in which photos move over a scene. The true place of each is known at all times.
struct Film {
    /// A photo that moves in a straight line.
    struct Sprite {
        let photo: URL
        let width: Int
        let height: Int
        /// The left and upper edge as FFmpeg expressions of the time `t` in seconds.
        let x: String
        let y: String
        /// The same position as a function in Swift.
        let place: @Sendable (Double) -> (x: Double, y: Double)
        /// The seconds in which the photo is absent.
        var away: ClosedRange<Double>?
    }

    static let width = 640
    static let height = 360
    let seconds: Double
    let rate: Int
    let scene: URL?
    let sprites: [Sprite]
    /// Columns that cover every photo behind them.
    var wall: Range<Int>?

    /// - Parameter others: further arguments, such as another codec.
    func render(to file: URL, _ others: [String] = ["-c:v", "libx264", "-preset", "ultrafast"]) async throws {
        var arguments: [String]
        if let scene {
            arguments = ["-loop", "1", "-framerate", "\(rate)", "-t", "\(seconds)", "-i", scene.path]
        } else {
            arguments = ["-f", "lavfi", "-t", "\(seconds)", "-i", "color=gray:size=640x360:rate=\(rate)"]
        }
        for sprite in sprites {
            arguments += ["-loop", "1", "-framerate", "\(rate)", "-t", "\(seconds)", "-i", sprite.photo.path]
        }
        var graph =
            "[0:v]scale=\(Self.width):\(Self.height):force_original_aspect_ratio=increase,"
            + "crop=\(Self.width):\(Self.height),setsar=1[s0];"
        for (index, sprite) in sprites.enumerated() {
            let hiding = sprite.away.map { ":enable='not(between(t,\($0.lowerBound),\($0.upperBound)))'" } ?? ""
            graph +=
                "[\(index + 1):v]scale=\(sprite.width):\(sprite.height):force_original_aspect_ratio=increase,"
                + "crop=\(sprite.width):\(sprite.height),setsar=1[p\(index)];"
                + "[s\(index)][p\(index)]overlay=x='\(sprite.x)':y='\(sprite.y)':shortest=1\(hiding)[s\(index + 1)];"
        }
        let wall = wall.map { "drawbox=x=\($0.lowerBound):y=0:w=\($0.count):h=ih:color=0x556655:t=fill" } ?? "null"
        graph += "[s\(sprites.count)]\(wall),format=yuv420p[out]"
        try await FilmMaker.render(
            arguments + ["-filter_complex", graph, "-map", "[out]", "-t", "\(seconds)"] + others, to: file)
    }

    /// The visible parts of the photos that are at least half visible, in fractions of the picture.
    func truth(at milliseconds: Int) -> [Int: (x: Double, y: Double, width: Double, height: Double)] {
        var boxes: [Int: (x: Double, y: Double, width: Double, height: Double)] = [:]
        for (index, sprite) in sprites.enumerated() {
            if sprite.away?.contains(Double(milliseconds) / 1000) == true { continue }
            let (x, y) = sprite.place(Double(milliseconds) / 1000)
            var (left, right) = (max(0, x), min(Double(Self.width), x + Double(sprite.width)))
            if let wall {
                if left >= Double(wall.lowerBound) { left = max(left, min(Double(wall.upperBound), right)) }
                if right <= Double(wall.upperBound) { right = min(right, max(Double(wall.lowerBound), left)) }
            }
            let (top, bottom) = (max(0, y), min(Double(Self.height), y + Double(sprite.height)))
            guard right - left >= Double(sprite.width) / 2, bottom > top else { continue }
            boxes[index + 1] = (
                left / Double(Self.width), top / Double(Self.height), (right - left) / Double(Self.width),
                (bottom - top) / Double(Self.height)
            )
        }
        return boxes
    }
}

extension Film.Sprite {
    /// Moves from one place to another in this many seconds, and beyond.
    init(
        _ photo: URL, width: Int, height: Int, from start: (x: Int, y: Int), aSecond: (x: Int, y: Int),
        away: ClosedRange<Double>? = nil
    ) {
        self.init(
            photo: photo, width: width, height: height, x: "\(start.x)+\(aSecond.x)*t", y: "\(start.y)+\(aSecond.y)*t",
            place: { (Double(start.x) + Double(aSecond.x) * $0, Double(start.y) + Double(aSecond.y) * $0) }, away: away)
    }
}

/// Runs a test with a temporary folder.
func withFilmFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try await body(URL(filePath: folder.path))
}
