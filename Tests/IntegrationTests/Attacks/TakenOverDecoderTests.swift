import Foundation
import Glibc
import TestSupport
import Testing

/// The built service with a hostile decoder: FFmpeg's scaling library is replaced by one that acts like an attacker.
@Suite("A decoder that was taken over", .serialized, .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(5)))
struct TakenOverDecoderTests {
    private let decoder: StandInDecoder
    private let film: [UInt8]

    init() async throws {
        decoder = StandInDecoder(folder: try TemporaryFolder())
        film = try await decoder.film()
    }

    private func service(_ flags: [String] = [], _ settings: [String: String] = [:]) async throws -> ServiceProcess {
        try ServiceProcess(settings, environment: try await decoder.environment(flags))
    }

    private func add(_ service: ServiceProcess) async throws -> String {
        let added = try await service.add(film)
        #expect(added.status == 202, "\(added.text)")
        return try #require(added.headers["location"])
    }

    @Test func `reaches neither the service nor files, the network or other programs`() async throws {
        let service = try await service()
        let failed = try await service.video(try await add(service))
        let problem = failed["problem"] as? [String: any Sendable]
        #expect(problem?["detail"] as? String == "worked: nothing", "\(failed)")
        #expect(try await service.request("GET", "/livez").status == 200)
        #expect(!service.log.contains("sandbox"), "\(service.log)")
    }

    /// The crash is reported at once. A crash handler in the helper must not run, since it would crash again and again.
    @Test func `crashes alone, and is counted`() async throws {
        let service = try await service(["-DCRASH"], ["video.worker_patience_s": "1000"])
        #expect(try await service.metric(#"menagerie_helper_crashes_total{of="video"}"#) == 0)
        let failed = try await service.video(try await add(service))
        let problem = failed["problem"] as? [String: any Sendable]
        #expect(problem?["type"] as? String == "/problems/unreadable-video", "\(failed)")
        #expect(problem?["status"] as? Int ?? 422 == 422, "\(failed)")
        #expect((problem?["detail"] as? String)?.contains("The decoder gave up") == true, "\(failed)")
        #expect(try await service.metric(#"menagerie_helper_crashes_total{of="video"}"#) == 1)
        #expect(try await service.request("GET", "/livez").status == 200)
    }

    @Test func `that crashes at the start of a new video is a 422, and counted`() async throws {
        let service = try await service(["-DCRASH_AT_ONCE"])
        let answer = try await service.add(film)
        #expect(answer.status == 422 && answer.text.contains("The decoder gave up"), "\(answer.text)")
        #expect(try await service.metric(#"menagerie_helper_crashes_total{of="video"}"#) == 1)
        #expect(try await service.metric(#"menagerie_helper_crashes_total{of="model"}"#) == 0)
        #expect(try await service.request("GET", "/videos").object()["total"] as? Int == 0)
    }

    /// The helper starts threads and children that compute forever, and it ignores every signal.
    @Test(arguments: ["the service is killed", "the video is removed"])
    func `leaves nothing behind when`(_ end: String) async throws {
        let service = try await service(["-DLINGER"])
        let path = try await add(service)
        _ = try await service.video(path, in: ["working"])
        // The helper analyses its first picture soon after its start.
        try await eventually {
            Self.helpers(of: service.identifier).contains { Self.secondsOfProcessor($0) >= 1 }
        }
        let helpers = Self.helpers(of: service.identifier)
        if end == "the service is killed" {
            try await service.kill()
        } else {
            #expect(try await service.request("DELETE", path).status == 204)
        }
        try await eventually { !helpers.contains { Self.isAlive($0) } }
    }

    // MARK: Processes

    /// The fields of proc_pid_stat(5), starting with the state.
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

    /// All descendants of a process.
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
