import Foundation
import Glibc
import TestSupport
import Testing

/// The built service on kernels without namespaces: in a container with a standard profile, under a strict service
/// manager, or without unprivileged user namespaces.
@Suite("A kernel that allows less", .serialized, .enabled(if: FilmMaker.isThere), .timeLimit(.minutes(5)))
struct NarrowKernelTests {
    private let decoder: StandInDecoder
    private let film: [UInt8]

    init() async throws {
        decoder = StandInDecoder(folder: try TemporaryFolder())
        film = try await decoder.film()
    }

    /// Linux 5.13 or later. The check does not detect a newer kernel that was built without Landlock.
    static let hasLandlock: Bool = {
        var names = utsname()
        uname(&names)
        let release = withUnsafeBytes(of: names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return release.compare("5.13", options: .numeric) != .orderedAscending
    }()

    /// A user who is not root.
    private static let ordinary: uid_t = 54_321

    /// - Parameters:
    ///   - kernel: the further features that Tests/Drivers/narrow_kernel.c disables.
    ///   - isTakenOver: whether films take over the decoder.
    private func environment(_ kernel: [String], isTakenOver: Bool = true) async throws -> [String: String] {
        let library = decoder.folder.path + "/narrow.so"
        try await StandInDecoder.compile("narrow_kernel.c", kernel, to: library)
        var environment = isTakenOver ? try await decoder.environment() : [:]
        environment["LD_PRELOAD"] = library
        return environment
    }

    private func service(_ kernel: [String], _ settings: [String: String], isTakenOver: Bool = true) async throws
        -> ServiceProcess
    {
        let environment = try await environment(kernel, isTakenOver: isTakenOver)
        if geteuid() == 0, kernel.contains("-DORDINARY_USER") {
            // The user cannot read the compiled models that services of tests share.
            for path in ["", "/data", "/data/compiled"].map({ decoder.folder.path + $0 }) {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                chown(path, Self.ordinary, Self.ordinary)
            }
        }
        return try ServiceProcess(settings, in: decoder.folder, environment: environment)
    }

    private func detail(_ service: ServiceProcess) async throws -> String {
        let added = try await service.add(film)
        try #require(added.status == 202, "\(added.text)")
        let ended = try await service.video(try #require(added.headers["location"]))
        let problem = ended["problem"] as? [String: any Sendable]
        return problem?["detail"] as? String ?? ended["state"] as? String ?? ""
    }

    @Test(.enabled(if: hasLandlock), arguments: [[], ["-DORDINARY_USER"]])
    func `Landlock stands in for namespaces`(user: [String]) async throws {
        let service = try await service(user, ["video.sandbox": "required"])
        #expect(try await detail(service) == "worked: nothing")
        #expect(service.log.contains("Landlock locks in the processes that decode videos"), "\(service.log)")
        try await service.kill()
        // Films are still decoded.
        let other = try await self.service(user, ["video.sandbox": "required"], isTakenOver: false)
        #expect(try await detail(other) == "done")
        try await other.kill()
    }

    @Test(arguments: [[], ["-DORDINARY_USER"]])
    func `without both the service says so and goes on`(user: [String]) async throws {
        let service = try await service(user + ["-DNO_LANDLOCK"], ["video.sandbox": "best"])
        // The filter of system calls still stops these.
        #expect(try await detail(service) == "worked: nothing")
        let warning = service.log.split(separator: "\n").first { $0.contains("is not whole") }
        #expect(warning?.contains("processes of its own") == true, "\(service.log)")
        #expect((warning?.contains("a user of its own") == true) == (user != [] || geteuid() != 0), "\(service.log)")
        try await service.kill()
        let other = try await self.service(
            user + ["-DNO_LANDLOCK"], ["video.sandbox": "best"], isTakenOver: false)
        #expect(try await detail(other) == "done")
        try await other.kill()
    }

    @Test func `without both, a service that requires the sandbox does not start, and no film is decoded`() async throws
    {
        let service = try await service(["-DNO_LANDLOCK"], ["video.sandbox": "required"])
        #expect(try await service.exitCode() != 0)
        #expect(service.log.contains("video.sandbox is required, but the kernel allows videos no process with"))
        let environment = try await environment(["-DNO_LANDLOCK"], isTakenOver: false)
        let refused = try await Program.menagerie.run(
            ["video", decoder.folder.path + "/film.mp4", "--set", "video.sandbox=required"], environment: environment)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("the kernel allows no whole sandbox, without"), "\(refused.errors)")
    }

    @Test func `the doctor says what is missing and what to do`() async throws {
        let environment = try await environment(["-DNO_LANDLOCK"], isTakenOver: false)
        for (demand, verdict) in [("best", "note   sandbox"), ("required", "WRONG  sandbox")] {
            let report = try await Program.menagerie.run(
                [
                    "doctor", "--set", "http.port=0", "--set", "video.sandbox=\(demand)", "--data-dir",
                    decoder.folder.path + "/data",
                ], environment: environment)
            let line = report.output.split(separator: "\n").first { $0.contains(" sandbox ") } ?? ""
            #expect(line.hasPrefix(verdict) && line.contains("processes of its own"), "\(report.output)")
            #expect(line.contains("Landlock"), "\(line)")
        }
    }
}
