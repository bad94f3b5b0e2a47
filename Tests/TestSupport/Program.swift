package import Foundation

/// A built program of this package, run as a process.
package struct Program: Sendable {
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    package let url: URL

    package init(url: URL) {
        self.url = url
    }

    package init(path: String) {
        self.init(url: URL(filePath: path))
    }

    /// The program `menagerie` that was built with the tests.
    package static let menagerie = Program(url: builtProducts.appending(path: "menagerie"))

    private static var builtProducts: URL {
        let runner = URL(filePath: CommandLine.arguments.first ?? "")
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let candidates = [runner, URL(filePath: link ?? "")].map { $0.deletingLastPathComponent() }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.appending(path: "menagerie").path) }
            ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../.build/debug").standardized
    }

    /// `menagerie` in another folder, so that the test controls the files beside it. It is a hard link if possible,
    /// otherwise a copy.
    package static func copied(into folder: String) throws -> Program {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let copy = Program(url: URL(filePath: folder).appending(path: "menagerie"))
        do {
            try FileManager.default.linkItem(at: menagerie.url, to: copy.url)
        } catch {
            try FileManager.default.copyItem(at: menagerie.url, to: copy.url)
        }
        return copy
    }

    /// Runs the program to its end.
    ///
    /// - Parameter environment: variables in addition to the test's own.
    package func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
    ) async throws -> Result {
        let process = process(arguments, environment: environment, in: folder)
        return try await onThread {
            let (output, errors) = (Pipe(), Pipe())
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            // Errors are short, so they fit into the pipe while the output is read.
            let text = output.fileHandleForReading.readDataToEndOfFile()
            let errorText = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
                errors: String(decoding: errorText, as: UTF8.self))
        }
    }

    /// A process without input, not yet started.
    package func process(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
    ) -> Process {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        // The service reads every variable MENAGERIE_… as a setting.
        var own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MENAGERIE_") }
        for folder in ["XDG_DATA_HOME", "XDG_CACHE_HOME"] {
            own[folder] = environment["HOME"] == nil ? CompiledModels.home : nil
        }
        process.environment = own.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        return process
    }
}
