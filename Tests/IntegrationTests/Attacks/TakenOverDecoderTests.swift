import Foundation
import Glibc
import TestSupport
import Testing

/// The built service with a decoder that the video has taken over: FFmpeg's library for scaling is replaced by one that tries
/// what an attacker would.
@Suite("A decoder that was taken over", .serialized, .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(5)))
struct TakenOverDecoderTests {
    private let folder: TemporaryFolder
    private let film: [UInt8]

    init() async throws {
        folder = try TemporaryFolder()
        let file = URL(filePath: folder.path).appending(path: "film.mp4")
        try await FilmMaker.render(
            [
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=5:duration=1", "-c:v", "libx264", "-preset",
                "ultrafast",
            ], to: file)
        film = [UInt8](try Data(contentsOf: file))
    }

    /// - Parameter flags: of the compiler.
    private func service(_ flags: [String] = [], _ settings: [String: String] = [:]) async throws -> ServiceProcess {
        let linked = try await Program(path: "/usr/bin/env").run(["ldd", Program.menagerie.url.path]).output
        let library = try #require(linked.firstMatch(of: /libswscale\.so\.(\d+)/), "\(linked)")
        try folder.write(Array("LIBSWSCALE_\(library.1) { global: sws_*; local: *; };".utf8), "map")
        let libraries = folder.path + "/libraries"
        try FileManager.default.createDirectory(atPath: libraries, withIntermediateDirectories: true)
        let compiled = try await Program(path: "/usr/bin/env").run(
            [
                "clang", "-shared", "-fPIC", "-pthread", "-w", "-Wl,-soname,\(library.0)",
                "-Wl,--version-script=\(folder.path)/map",
                LiveService.package.appending(path: "Tests/Drivers/stand_in_decoder.c").path, "-o",
                "\(libraries)/\(library.0)",
            ] + flags)
        try #require(compiled.status == 0, "\(compiled.errors)")
        return try ServiceProcess(settings, environment: ["LD_LIBRARY_PATH": libraries])
    }

    private func add(_ service: ServiceProcess) async throws -> String {
        let added = try await service.request(
            "POST", "/videos?every=5", headers: [("Content-Type", "video/mp4")], body: film)
        #expect(added.status == 202, "\(added.text)")
        return try #require(added.headers["location"])
    }

    private func video(_ service: ServiceProcess, _ path: String, in states: Set<String>) async throws
        -> [String: any Sendable]
    {
        while true {
            let video = try await service.request("GET", path).object()
            if let state = video["state"] as? String, states.contains(state) { return video }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `reaches neither the service nor files, the network or other programs`() async throws {
        let service = try await service()
        let failed = try await video(service, try await add(service), in: ["done", "failed"])
        let problem = failed["problem"] as? [String: any Sendable]
        #expect(problem?["detail"] as? String == "worked: nothing", "\(failed)")
        #expect(try await service.request("GET", "/livez").status == 200)
        #expect(!service.log.contains("sandbox"), "\(service.log)")
    }

    /// Threads and children that compute for ever, and every signal ignored.
    @Test(arguments: ["the service is killed", "the video is removed"])
    func `leaves nothing behind when`(_ end: String) async throws {
        let service = try await service(["-DLINGER"])
        let path = try await add(service)
        _ = try await video(service, path, in: ["working"])
        // It looks at its first picture soon after it has begun.
        while Self.helpers(of: service.identifier).count(where: { Self.secondsOfProcessor($0) >= 1 }) == 0 {
            try await Task.sleep(for: .milliseconds(50))
        }
        let helpers = Self.helpers(of: service.identifier)
        if end == "the service is killed" {
            try await service.kill()
        } else {
            #expect(try await service.request("DELETE", path).status == 204)
        }
        while helpers.contains(where: { Self.isAlive($0) }) { try await Task.sleep(for: .milliseconds(50)) }
    }

    // MARK: Processes

    /// The fields of proc_pid_stat(5) from the state on.
    private static func fields(_ process: Int32) -> [Substring] {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    private static func isAlive(_ process: Int32) -> Bool {
        fields(process).first.map { $0 != "Z" } ?? false
    }

    private static func secondsOfProcessor(_ process: Int32) -> Int {
        let fields = fields(process)
        return fields.count > 11 ? (Int(fields[11]) ?? 0) / sysconf(CInt(_SC_CLK_TCK)) : 0
    }

    /// All processes below one.
    private static func helpers(of process: Int32) -> Set<Int32> {
        let all = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
        let parents = all.map { ($0, fields($0).dropFirst().first.flatMap { Int32($0) } ?? 0) }
        var found: Set<Int32> = [process]
        while true {
            let more = found.union(parents.filter { found.contains($0.1) }.map(\.0))
            if more == found { return found.subtracting([process]) }
            found = more
        }
    }
}
