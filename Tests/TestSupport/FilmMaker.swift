package import Foundation
import Testing

/// FFmpeg's program, which makes films for tests.
package enum FilmMaker {
    private static let program = ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The condition for `.enabled(if:)`. Without the program, tests that need it are skipped, but on CI they fail.
    package static let isThere = program != nil || ProcessInfo.processInfo.environment["CI"] == "true"

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs `ffmpeg` with the arguments, followed by the file's path.
    package static func render(_ arguments: [String], to file: URL) async throws {
        let program = try #require(program, "FFmpeg's program is not installed (Scripts/setup ffmpeg)")
        let result = try await Program(path: program).run(
            ["-nostdin", "-loglevel", "error", "-y"] + arguments + [file.path])
        guard result.status == 0 else { throw Failure(description: "\(arguments): \(result.errors)") }
    }

    /// Starts `ffmpeg`. The arguments include the output.
    package static func start(_ arguments: [String]) throws -> Process {
        let program = try #require(program, "FFmpeg's program is not installed (Scripts/setup ffmpeg)")
        let process = Program(path: program).process(["-nostdin", "-loglevel", "error"] + arguments)
        // An RTP writer prints a description of its stream there.
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }
}
