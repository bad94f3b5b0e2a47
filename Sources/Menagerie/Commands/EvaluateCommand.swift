import ArgumentParser
import Foundation
import Recognition
import Training

/// `menagerie evaluate --photos PHOTOS`: measures a model on labelled photos, or compares it with another one.
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Measures a model on labelled photos.",
        discussion: """
            Prints top-1 and top-3 accuracy, macro F1, precision, recall, ROC-AUC and expected calibration error of every \
            head that should know some of the photos, the AUROC of abstention, and the milliseconds a photo takes.

            With --against the answers of two models to the same photos are compared: the difference of their accuracies, \
            its 95 % interval, and McNemar's exact test. Photos from one of the models' trainings in Menagerie are left out.

            The photos are a folder, a ZIP or a TAR archive with one folder for each class, or a list. A list is a CSV \
            file with the columns path (relative to the list) and class; with group (cat, dog, animal, fruit, object) a \
            class counts for the heads that it fits, without it for every head that has such a label. A column with a \
            head's name has the right answer of that head. Training photos make a model look better than it is. Choose \
            others with --where.
            """)

    @Option(name: .long, help: "Folder, archive or list of labelled photos.")
    var photos: String

    @Option(name: .long, help: "Model to measure, as name or name@version; by default recognition.default_model.")
    var model: String?

    @Option(name: .long, help: "Model to compare it with, as name or name@version.")
    var against: String?

    @Option(
        name: .long,
        help: """
            Head of the model, and of the other one if it has such a head. By default it is the one that knows most of \
            the classes. A list without --against is measured with every head.
            """)
    var head: String?

    @Option(
        name: .customLong("where"), parsing: .singleValue,
        help: ArgumentHelp(
            "Only rows of a list with this value, such as split=test; may be repeated.", valueName: "column=value")
    )
    var filters: [String] = []

    @Option(name: .long, help: "Largest number of photos, evenly spread over a list; 0 takes all.")
    var limit = 0

    @Option(
        name: .long,
        help: "Folder for evaluation.json, evaluation.md and, for a list, confusion_HEAD.csv; created if missing.")
    var out: String?

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        for filter in filters where PhotoList.Filter(filter) == nil {
            throw ValidationError("--where \(filter): write --where column=value.")
        }
        guard limit >= 0 else { throw ValidationError("--limit has to be 0 or more.") }
        guard LabelledFiles(photos).isList || (filters.isEmpty && limit == 0) else {
            throw ValidationError("--where and --limit choose from a list; \(photos) is not a list.")
        }
        guard head == nil || comparesClasses else {
            throw ValidationError(
                "--head goes with folders, archives and --against; a list is measured with every head.")
        }
    }

    /// Whether one head is measured by the single class of each photo. Otherwise every head is measured by its labels
    /// in a list.
    private var comparesClasses: Bool { against != nil || !LabelledFiles(photos).isList }

    func run() async throws {
        try await options.run { try await comparesClasses ? compare($0) : measure($0) }
    }

    private func list() throws -> PhotoList {
        try PhotoList(
            contentsOf: URL(fileURLWithPath: photos), filters: filters.compactMap { PhotoList.Filter($0) }
        ).limited(to: limit)
    }

    /// Measures every head of one model on a list.
    private func measure(_ settings: Settings) async throws {
        let list = try list()
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        let bar = ProgressBar(unit: "photos")
        let evaluator = Evaluator(
            recogniser: recogniser, model: model, concurrency: ProcessInfo.processInfo.activeProcessorCount * 4)
        let result = try await evaluator.evaluate(list) { bar.show($0, of: list.photos.count) }
        bar.finish()
        print(result.report.markdown, terminator: "")
        guard let out else { return }
        let folder = try write(result.report, result.report.markdown, to: out)
        for (head, confusion) in result.confusions {
            try Data(confusion.csv.utf8).write(to: folder.appending(path: "confusion_\(head).csv"), options: .atomic)
        }
    }

    /// Measures one model, or compares two, on photos with one class each.
    private func compare(_ settings: Settings) async throws {
        let configuration = try TrainingService.Configuration(settings)
        let files = LabelledFiles(photos)
        let source =
            files.isList
            ? try PhotoSource(try list(), limits: configuration.limits)
            : try await files.source(configuration.limits)
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        let evaluator = ModelEvaluator(
            recogniser: recogniser, folder: TrainedModelFolder(root: configuration.models), cores: configuration.cores)
        let bar = ProgressBar(unit: "photos")
        let evaluation = try await evaluator.evaluate(
            source, model: ModelReference(model ?? recogniser.defaultModel),
            against: try against.map { try ModelReference($0) }, head: head
        ) { bar.show($0, of: $1) }
        bar.finish()
        print(evaluation.markdown, terminator: "")
        _ = try out.map { try write(evaluation, evaluation.markdown, to: $0) }
    }

    /// Writes an evaluation as JSON and as Markdown.
    ///
    /// - Returns: the folder.
    private func write(_ evaluation: some Encodable, _ markdown: String, to path: String) throws -> URL {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try encoder.encode(evaluation).write(to: folder.appending(path: "evaluation.json"), options: .atomic)
        try Data(markdown.utf8).write(to: folder.appending(path: "evaluation.md"), options: .atomic)
        return folder
    }
}
