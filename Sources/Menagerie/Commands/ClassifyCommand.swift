import ArgumentParser
import Base
import Encyclopaedia
import Foundation
import Imaging
import Logging
import Recognition
import Scans
import Telemetry

/// `menagerie classify PHOTO…`: the same answers without a server.
struct ClassifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classify", abstract: "Classifies photos and prints their answers.",
        discussion: """
            Exits with 1 when a photo could not be read; the others are answered all the same.

            With --output the answers go to a file, one JSON object a line, and a run that was ended goes on where it \
            stopped when it is started again: a photo that has a line, be it with an error, is passed over.
            """)

    @Argument(help: "Photos (JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC or AVIF), or folders of photos.")
    var photos: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("File with the path of a photo in each line; - is standard input.", valueName: "file"))
    var list: String?

    @Option(
        name: .long,
        help: ArgumentHelp("File for the answers, as JSON lines; goes on with one that is there.", valueName: "file"))
    var output: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only the part of this machine where several share the photos: 3/10 is the third of ten.",
            valueName: "n/count"))
    var share = "1/1"

    @Option(name: .long, help: "Answers to print, 1 to 100.")
    var top = 3

    @Option(name: .long, help: "Language of names and messages: en or fi.")
    var lang = "en"

    @Flag(name: .long, help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard !photos.isEmpty || list != nil else { throw ValidationError("Name at least one photo, or a --list.") }
        guard (1...100).contains(top) else { throw ValidationError("--top has to be from 1 to 100.") }
        guard Language(rawValue: lang) != nil else { throw ValidationError("--lang has to be en or fi.") }
        guard PhotoShare(share) != nil else { throw ValidationError("--share has to read like 3/10.") }
    }

    func run() async throws {
        let settings = try options.load()
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        do {
            let results = try output.map(ResultsFile.init)
            let share = PhotoShare(share) ?? .everything
            var seen = results?.done ?? []
            let paths = try PhotoPaths.all(in: photos, list: list).filter { path in
                // A photo that is named twice has one line in a file.
                share.contains(path) && (results == nil || seen.insert(path).inserted)
            }
            let recogniser = try await Application.startRecogniser(settings, observer: NoObserver())
            defer { recogniser.stop() }
            let failures = try await classify(paths, with: recogniser, settings, into: results)
            if failures > 0 { throw ExitCode.failure }
        } catch let code as ExitCode {
            throw code
        } catch {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    /// - Returns: how many photos could not be classified, those of earlier runs included.
    private func classify(
        _ paths: [String], with recogniser: Recogniser, _ settings: Settings, into results: ResultsFile?
    ) async throws -> Int {
        let encyclopaedia = try Encyclopaedia.bundled()
        // Enough to fill the engine's batches while others are decoded; no more are let in.
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let atOnce = min(recogniser.capacity, 2 * (cores + settings[Settings.maxBatchSize]))
        let files = BlockingPool(label: "menagerie.photos", width: cores, maximumPending: .max)
        let bar = ProgressBar(total: paths.count, unit: "photos")
        var tally = BulkTally(before: results?.done.count ?? 0, failures: results?.failures ?? 0)
        try await paths.concurrentForEach(atOnce: atOnce) { path in
            do {
                let photo = try await files.run(whenFull: { _ in CancellationError() as any Error }) {
                    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
                }
                let answer = try await recogniser.classify(photo, options: ClassificationOptions(priority: .bulk))
                return (path, Result<Classification, any Error>.success(answer))
            } catch {
                return (path, .failure(error))
            }
        } use: { path, answer in
            tally.count(answer)
            switch answer {
            case .success(let answer):
                if let results {
                    try results.append(jsonLine(path, answer))
                } else {
                    print(try line(path, answer, encyclopaedia))
                }
            case .failure(let error):
                FileHandle.standardError.write(Data("\(path): \(error)\n".utf8))
                try results?.append(Array(JSONEncoder.line.encode(FailedLine(photo: path, error: "\(error)"))))
            }
            if results != nil { bar.show(tally.done) }
        }
        bar.finish()
        if let results {
            try results.synchronize()
            FileHandle.standardError.write(Data("\(tally)\n".utf8))
        }
        return tally.failures
    }

    private func line(_ path: String, _ answer: Classification, _ encyclopaedia: Encyclopaedia) throws -> String {
        let language = Language(rawValue: lang) ?? .english
        let message = answer.message(in: Language(rawValue: lang) ?? .english)
        let predictions = answer.predictions(top)
        guard json else {
            let answers = predictions.map { prediction in
                let name = encyclopaedia.name(prediction.label, from: .head(answer.head), in: language)
                return "  \(prediction.percent.padded(to: 7)) \(name)"
            }
            return ([path, "  " + message] + answers).joined(separator: "\n")
        }
        return String(decoding: try jsonLine(path, answer), as: UTF8.self)
    }

    private func jsonLine(_ path: String, _ answer: Classification) throws -> [UInt8] {
        let line = JSONLine(
            photo: path, message: answer.message(in: Language(rawValue: lang) ?? .english),
            species: answer.species, head: answer.head, abstained: answer.abstained,
            predictions: answer.predictions(top).map { .init(label: $0.label, confidence: $0.confidence) })
        return Array(try JSONEncoder.line.encode(line))
    }
}

extension JSONEncoder {
    /// For one object a line.
    fileprivate static var line: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

private struct FailedLine: Encodable {
    let photo: String
    let error: String
}

private struct JSONLine: Encodable {
    struct Answer: Encodable {
        let label: String
        let confidence: Float
    }

    let photo: String
    let message: String
    let species: String
    let head: String
    let abstained: Bool
    let predictions: [Answer]
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
