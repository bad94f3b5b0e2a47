import ArgumentParser
import Foundation
import Evaluation
import Logging
import Recognition
import Telemetry

/// `menagerie evaluate --photos CSV`: how good a model is on labelled photos.
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measures a model on labelled photos.",
        discussion: """
            Prints top-1 and top-3 accuracy, macro F1, precision, recall, ROC-AUC and expected calibration error of every \
            head that should know some of the photos, the AUROC of abstention, and the milliseconds a photo takes.

            The list is a CSV file with the columns path (relative to the list) and class; with group (cat, dog, animal, \
            fruit, object) a class counts for the heads that it fits, without it for every head that has such a label. A \
            column with a head's name says what that head should answer. Photos that were trained on flatter a model: \
            choose others with --where.
            """)

    @Option(name: .long, help: "List of labelled photos.")
    var photos: String

    @Option(name: .long, help: "Model to measure, as name or name@version; by default recognition.default_model.")
    var model: String?

    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: ArgumentHelp("Only rows with this value, such as split=test; may be repeated.", valueName: "column=value")
    )
    var filters: [String] = []

    @Option(name: .long, help: "At most so many photos, evenly spread over the list; 0 takes all.")
    var limit = 0

    @Option(name: .long, help: "Folder for evaluation.json, evaluation.md and confusion_HEAD.csv; made where missing.")
    var out: String?

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        for filter in filters where PhotoList.Filter(filter) == nil {
            throw ValidationError("--where \(filter): write --where column=value.")
        }
        guard limit >= 0 else { throw ValidationError("--limit has to be 0 or more.") }
    }

    func run() async throws {
        let settings = try options.load()
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        do {
            let list = try PhotoList(
                contentsOf: URL(fileURLWithPath: photos), filters: filters.compactMap { PhotoList.Filter($0) }
            ).limited(to: limit)
            let recogniser = try await Application.startRecogniser(settings, observer: NoObserver())
            defer { recogniser.stop() }
            let bar = ProgressBar(total: list.photos.count, unit: "photos")
            let evaluator = Evaluator(
                recogniser: recogniser, model: model, concurrency: ProcessInfo.processInfo.activeProcessorCount * 4)
            let result = try await evaluator.evaluate(list) { bar.show($0) }
            bar.finish()
            print(result.report.markdown, terminator: "")
            if let out { try result.write(to: URL(fileURLWithPath: out, isDirectory: true)) }
        } catch {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}

extension Evaluator.Result {
    fileprivate func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(report).write(to: folder.appending(path: "evaluation.json"))
        try Data(report.markdown.utf8).write(to: folder.appending(path: "evaluation.md"))
        for (head, confusion) in confusions {
            try Data(confusion.csv.utf8).write(to: folder.appending(path: "confusion_\(head).csv"))
        }
    }
}
