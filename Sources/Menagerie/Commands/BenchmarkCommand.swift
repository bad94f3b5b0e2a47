import ArgumentParser
import Foundation
import Recognition
import Training

/// `menagerie benchmark --models a,b --photos DIR`: measures how well models keep up with a camera.
struct BenchmarkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark", abstract: "Measures how models keep up with a camera, frame by frame.",
        discussion: """
            Sends the photos to each model, each as soon as the one before is answered, and writes MODEL.csv with a line \
            for each frame: elapsed_time (seconds from the file to the answer), memory_used (bytes of the process), \
            frames_dropped (frames that a camera would have sent meanwhile). summary.md has a table of all models. \
            elapsed_time.svg, memory_used.svg and frames_dropped.svg are the plots. Models run one after the other in one \
            process, so memory left by an earlier one counts for the later ones.
            """)

    @Option(name: .long, help: "Models, as name or name@version, separated by commas.")
    var models: String

    @Option(name: .long, help: "Folder with photos, subfolders included.")
    var photos: String

    @Option(name: .long, help: "Frames for each model, 1 to 1000000.")
    var frames = 300

    @Option(name: .long, help: "Frames per second of the camera, above 0.")
    var rate = 30.0

    @Option(name: .long, help: "Folder for the results; created if missing.")
    var out = "benchmark"

    @OptionGroup var options: SettingsOptions

    /// The most photos held in memory.
    private static let maximumPhotos = 100

    func validate() throws {
        guard !names.isEmpty else { throw ValidationError("Name at least one model.") }
        guard (1...1_000_000).contains(frames) else { throw ValidationError("--frames has to be from 1 to 1000000.") }
        guard rate > 0, rate.isFinite else { throw ValidationError("--rate has to be above 0.") }
    }

    private var names: [String] { models.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }

    func run() async throws {
        try await options.run { settings in
            let files = PhotoFolder.files(in: URL(fileURLWithPath: photos), limit: Self.maximumPhotos)
            guard !files.isEmpty else { throw SettingsError("There are no photos in \(photos).") }
            let bytes = try files.map { Array(try Data(contentsOf: $0)) }
            var logs: [FrameLog] = []
            var failed = false
            for name in names {
                do {
                    logs.append(try await log(name, bytes, settings))
                } catch {
                    failed = true
                    printError("\(name): \(error)")
                }
            }
            if !logs.isEmpty { try write(FrameSummary(logs: logs, rate: rate)) }
            if failed { throw ExitCode.failure }
        }
    }

    /// Starts a recogniser for one model only, so that the previous model holds no memory.
    private func log(_ model: String, _ photos: [[UInt8]], _ settings: Settings) async throws -> FrameLog {
        let recogniser = try await Application.startRecogniser(settings, model: model)
        defer { recogniser.stop() }
        let bar = ProgressBar(unit: "frames of \(model)")
        defer { bar.finish() }
        return try await FrameBenchmark(frames: frames, rate: rate).run(recogniser, model: model, photos: photos) {
            bar.show($0, of: frames)
        }
    }

    private func write(_ summary: FrameSummary) throws {
        let folder = URL(fileURLWithPath: out, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
        }
        for log in summary.logs { try write(log.csv, log.model.replacing("/", with: "_") + ".csv") }
        let plots = ["elapsed_time", "memory_used", "frames_dropped"]
        let pictures = plots.map { "![\($0)](\($0).svg)" }.joined(separator: "\n\n")
        try write("# Frames\n\n\(summary.table)\n\(pictures)\n", "summary.md")
        try write(summary.elapsedPlot.svg, "elapsed_time.svg")
        try write(summary.memoryPlot.svg, "memory_used.svg")
        try write(summary.droppedPlot.svg, "frames_dropped.svg")
        print(summary.table, terminator: "")
    }
}
