import Foundation
import TestSupport

/// An external program, such as `openssl` or `curl`.
enum Command {
    struct Result: Sendable {
        let status: Int32
        /// Standard output and standard error together.
        let output: String
    }

    static func isThere(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
    }

    /// Runs the program with the input and waits for its end.
    /// - Parameter inputFile: a file whose content follows `input`.
    static func run(
        _ name: String, _ arguments: [String], input: String = "", inputFile: String? = nil
    ) async throws -> Result {
        try await onThread {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/\(name)")
            process.arguments = arguments
            let output = Pipe()
            let standardInput = Pipe()
            process.standardInput = standardInput
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let fed = Data(input.utf8) + (try inputFile.map { try Data(contentsOf: URL(filePath: $0)) } ?? Data())
            try? standardInput.fileHandleForWriting.write(contentsOf: fed)
            try? standardInput.fileHandleForWriting.close()
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Result(status: process.terminationStatus, output: String(decoding: text, as: UTF8.self))
        }
    }
}
