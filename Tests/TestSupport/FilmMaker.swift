package import Foundation
import Testing

/// FFmpeg's own program, with which tests make the films that they need.
package enum FilmMaker {
    private static let program = ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// For `.enabled(if:)`: where the program is absent tests that need it are skipped, but not where everything is checked:
    /// there they fail.
    package static let isThere = program != nil || ProcessInfo.processInfo.environment["CI"] == "true"

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs `ffmpeg` with the arguments and the file's path behind them.
    package static func render(_ arguments: [String], to file: URL) async throws {
        let program = try #require(program, "FFmpeg's program is not installed (Scripts/setup ffmpeg)")
        let result = try await Program(path: program).run(
            ["-nostdin", "-loglevel", "error", "-y"] + arguments + [file.path])
        guard result.status == 0 else { throw Failure(description: "\(arguments): \(result.errors)") }
    }

    /// Starts `ffmpeg` with the arguments, which say where it writes.
    package static func start(_ arguments: [String]) throws -> Process {
        let program = try #require(program, "FFmpeg's program is not installed (Scripts/setup ffmpeg)")
        let process = Program(path: program).process(["-nostdin", "-loglevel", "error"] + arguments)
        // An RTP writer describes its stream there.
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }
}
