import Foundation
import TestSupport
import Testing

/// Starts the built service with Tests/Drivers/stand_in_decoder.c in place of FFmpeg's scaling library.
struct StandInDecoder {
    let folder: TemporaryFolder

    /// The folder in which the service finds the library.
    private var libraries: String { folder.path + "/libraries" }

    /// - Parameter flags: compiler flags that select the library's behaviour.
    /// - Returns: the environment for a service with this library.
    func environment(_ flags: [String] = []) async throws -> [String: String] {
        let linked = try await Program(path: "/usr/bin/env").run(["ldd", Program.menagerie.url.path]).output
        let library = try #require(linked.firstMatch(of: /libswscale\.so\.(\d+)/), "\(linked)")
        try folder.write(Array("LIBSWSCALE_\(library.1) { global: sws_*; local: *; };".utf8), "map")
        try FileManager.default.createDirectory(atPath: libraries, withIntermediateDirectories: true)
        try await Self.compile(
            "stand_in_decoder.c",
            ["-pthread", "-Wl,-soname,\(library.0)", "-Wl,--version-script=\(folder.path)/map"] + flags,
            to: "\(libraries)/\(library.0)")
        return ["LD_LIBRARY_PATH": libraries]
    }

    /// Compiles a library from a file under Tests/Drivers.
    static func compile(_ driver: String, _ flags: [String], to path: String) async throws {
        let compiled = try await Program(path: "/usr/bin/env").run(
            [
                "clang", "-shared", "-fPIC", "-w", LiveService.package.appending(path: "Tests/Drivers/\(driver)").path,
                "-o", path,
            ] + flags)
        try #require(compiled.status == 0, "\(compiled.errors)")
    }

    func film() async throws -> [UInt8] {
        let file = URL(filePath: folder.path).appending(path: "film.mp4")
        try await FilmMaker.render(
            [
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=5:duration=1", "-c:v", "libx264", "-preset",
                "ultrafast",
            ], to: file)
        return [UInt8](try Data(contentsOf: file))
    }
}

extension ServiceProcess {
    func add(_ film: [UInt8], _ query: String = "every=5") async throws -> RawResponse {
        try await request("POST", "/videos?\(query)", headers: [("Content-Type", "video/mp4")], body: film)
    }

    /// Waits until a video is in one of these states, and returns its representation.
    func video(_ path: String, in states: Set<String> = ["done", "failed"]) async throws -> [String: any Sendable] {
        try await object(path) { states.contains($0["state"] as? String ?? "") }
    }

    /// A number of `/metrics`. Nil if it is missing.
    func metric(_ series: String) async throws -> Int? {
        let line = try await request("GET", "/metrics").text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) }
    }
}
