import ArgumentParser
import Base
import Encyclopaedia
import Foundation
import Imaging
import Recognition
import Storage

/// `menagerie classify PHOTO…`: gives the same answers without a server.
struct ClassifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classify", abstract: "Classifies photos and prints their answers.",
        discussion: """
            Exits with 1 if a photo could not be read. The others are still answered.

            With --output the answers go to a file, one JSON object a line. An interrupted run continues when it is \
            started again: it skips photos that have a line, even one with an error.

            With --run any number of machines share the photos through the database in history.postgresql_url. Each \
            claims some, answers them and claims more. --output is written when all photos have an answer.

            With --format megadetector --output is a file for Timelapse and AddaxAI: the boxes of animals, people and \
            vehicles, with breeds and species. File names are relative to a named folder. Its films are analysed too, \
            --every pictures a second.

            s3://bucket/prefix is read from the store in AWS_ENDPOINT_URL (Amazon's if unset) with the keys in \
            AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, in AWS_REGION.
            """)

    @Argument(
        help: ArgumentHelp(
            "Photos (JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC or AVIF), folders of photos, or s3://bucket/prefix."))
    var photos: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("File with the path of a photo in each line; - is standard input.", valueName: "file"))
    var list: String?

    @Option(
        name: .long,
        help: ArgumentHelp("File for the answers, as JSON lines. An existing one is continued.", valueName: "file"))
    var output: String?

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case lines, megadetector
    }

    @Option(name: .long, help: "Format of --output: JSON lines, or MegaDetector's format.")
    var format = Format.lines

    @Option(name: .long, help: "With --format megadetector: analysed pictures per second of a film, 0.01 to 120.")
    var every = 1.0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Takes one share of the photos if several machines work without a database: 3/10 is the third of ten.",
            valueName: "n/count"))
    var share = "1/1"

    @Option(
        name: .customLong("run"),
        help: ArgumentHelp(
            "Joins the run of this name. Without photos it works on those of the other machines.",
            valueName: "name"))
    var runName: String?

    @Flag(name: .long, help: "With --run: tries failed photos again.")
    var retryFailed = false

    @Flag(name: .long, help: "With --run: only removes the run and its answers from the database.")
    var forget = false

    @Option(name: .long, help: "Number of answers to print, 1 to 100.")
    var top = 3

    @Option(name: .long, help: "Language of names and messages: en or fi.")
    var lang = Language.english

    @Flag(name: .long, help: "Prints JSON lines instead of text.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard !photos.isEmpty || list != nil || runName != nil else {
            throw ValidationError("Name at least one photo, or a --list.")
        }
        guard runName?.isEmpty != true else { throw ValidationError("--run has to have a name.") }
        guard runName != nil || !(retryFailed || forget) else {
            throw ValidationError("--retry-failed and --forget go with --run.")
        }
        guard runName == nil || share == "1/1" else {
            throw ValidationError("--run shares the photos by itself; --share is for machines without a database.")
        }
        guard format == .lines || output != nil && runName == nil else {
            throw ValidationError("--format megadetector needs --output, and does not go with --run.")
        }
        try checkReplaceable(output, of: "--output")
        guard (0.01...120).contains(every) else { throw ValidationError("--every has to be from 0.01 to 120.") }
        guard (1...100).contains(top) else { throw ValidationError("--top has to be from 1 to 100.") }
        guard PhotoShare(share) != nil else { throw ValidationError("--share has to read like 3/10.") }
    }

    func run() async throws {
        try await options.run { settings in
            let failures = try await runName == nil ? classifyAlone(settings) : takePart(settings)
            if failures > 0 { throw ExitCode.failure }
        }
    }

    private var answerLine: AnswerLine { AnswerLine(top: top, language: lang) }

    private func paths(_ settings: Settings) async throws -> [String] {
        try await PhotoPaths.all(
            in: photos, list: list, photoBytes: settings[Settings.maxBodyBytes], withFilms: format == .megadetector)
    }

    // MARK: One machine

    /// - Returns: the number of photos that could not be classified, including those of earlier runs.
    private func classifyAlone(_ settings: Settings) async throws -> Int {
        let results = try format == .lines ? output.map(ResultsFile.init) : nil
        let share = PhotoShare(share)
        var seen = results?.done ?? []
        let found = try await self.paths(settings)
        guard !found.isEmpty else {
            throw SettingsError(
                "There are no photos in \((photos + [list].compactMap(\.self)).joined(separator: ", ")).")
        }
        let paths = found.filter { path in
            // A file gets one line for a photo, even if it is named twice.
            share?.contains(path) != false && (results == nil || seen.insert(Array(path.utf8)).inserted)
        }
        guard format == .lines else { return try await lookThrough(paths, settings) }
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        return try await classify(paths, BulkPhotos(recogniser, settings), into: results)
    }

    private func lookThrough(_ paths: [String], _ settings: Settings) async throws -> Int {
        guard let output else { return 0 }
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        // If a single folder is named, paths in the results are relative to it.
        let folder = photos.count == 1 && list == nil ? photos[0] : nil
        let isFolder = folder.map { FileSystem.isDirectory($0) || S3Address($0) != nil } ?? false
        let root = folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        return try await TrapRun(
            recogniser, settings, output: output, root: isFolder ? root : nil, every: every
        ).run(paths)
    }

    private func classify(_ paths: [String], _ photos: BulkPhotos, into results: ResultsFile?) async throws -> Int {
        let encyclopaedia = try Encyclopaedia.bundled()
        let bar = ProgressBar(unit: "photos")
        var tally = BulkTally(before: results?.done.count ?? 0, failures: results?.failures ?? 0)
        try await paths.concurrentForEach(atOnce: photos.atOnce) { path in
            (path, await Result.of { try await photos.answer(path) })
        } use: { path, result in
            let answer = try result.get()
            switch answer {
            case .success: tally.count(isFailure: false)
            case .failure(let error):
                tally.count(isFailure: true)
                printError("\(path): \(error)")
            }
            if let results {
                try results.append(answerLine.json(path, answer))
                bar.show(tally.done, of: paths.count)
            } else if case .success(let answer) = answer {
                print(try line(path, answer, encyclopaedia))
            }
        }
        bar.finish()
        if let results {
            try results.synchronize()
            printError("\(tally)")
        }
        return tally.failures
    }

    // MARK: Many machines

    /// - Returns: the number of photos of the run that any machine failed to classify.
    private func takePart(_ settings: Settings) async throws -> Int {
        guard let name = runName, let address = settings.given(Settings.postgreSQLURL) else {
            throw SettingsError(
                "--run needs \(Settings.postgreSQLURL.name), the address of the database that knows the run.")
        }
        let run = try await SharedRun.open(name, connectionString: address)
        return try await closing(run.close) { try await takePart(in: run, settings) }
    }

    private func takePart(in run: SharedRun, _ settings: Settings) async throws -> Int {
        if forget {
            try await run.remove()
            return 0
        }
        try await run.add(try await paths(settings))
        if retryFailed { try await run.reopenFailed() }
        if try await run.isOpen {
            let recogniser = try await Application.startRecogniser(settings)
            defer { recogniser.stop() }
            let work = SharedWork(run: run, photos: BulkPhotos(recogniser, settings), line: answerLine)
            printError("\(try await work.work())")
        }
        if let output { try await SharedWork.write(run, to: output) }
        let counts = try await run.counts
        printError(
            "All machines: \(counted(counts.answered - counts.failed, "photo")) classified, \(counts.failed) failed")
        return counts.failed
    }

    // MARK: Text

    private func line(_ path: String, _ answer: Classification, _ encyclopaedia: Encyclopaedia) throws -> String {
        if json { return String(decoding: try answerLine.json(path, .success(answer)), as: UTF8.self) }
        let answers = answer.predictions(top).map { prediction in
            let name = encyclopaedia.name(prediction.label, from: .head(answer.head), in: lang)
            return "  \(prediction.percent.padded(to: 7)) \(name)"
        }
        return ([path.printable, "  " + answer.message(in: lang)] + answers).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
