import ArgumentParser
import Encyclopaedia
import Foundation
import Imaging
import Logging
import Recognition
import Telemetry

/// `menagerie classify PHOTO…`: the same answers without a server.
struct ClassifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classify", abstract: "Classifies photos and prints their answers.",
        discussion: "Exits with 1 when a photo could not be read; the others are answered all the same.")

    @Argument(help: "Photos: JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC or AVIF.")
    var photos: [String]

    @Option(name: .long, help: "Answers to print, 1 to 100.")
    var top = 3

    @Option(name: .long, help: "Language of names and messages: en or fi.")
    var lang = "en"

    @Flag(name: .long, help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard !photos.isEmpty else { throw ValidationError("Name at least one photo.") }
        guard (1...100).contains(top) else { throw ValidationError("--top has to be from 1 to 100.") }
        guard MessageLanguage(rawValue: lang) != nil else { throw ValidationError("--lang has to be en or fi.") }
    }

    func run() async throws {
        let settings = try options.load()
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        let recogniser = try await Application.startRecogniser(settings, observer: NoObserver())
        defer { recogniser.stop() }
        let encyclopaedia = try Encyclopaedia.bundled()
        var failed = false
        for path in photos {
            do {
                let photo = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
                print(try line(path, await recogniser.classify(photo), encyclopaedia))
            } catch {
                failed = true
                FileHandle.standardError.write(Data("\(path): \(error)\n".utf8))
            }
        }
        if failed { throw ExitCode.failure }
    }

    private func line(_ path: String, _ answer: Classification, _ encyclopaedia: Encyclopaedia) throws -> String {
        let language = Language(rawValue: lang) ?? .english
        let message = answer.message(in: MessageLanguage(rawValue: lang) ?? .english)
        let predictions = answer.predictions(top)
        guard json else {
            let answers = predictions.map { prediction in
                let name = encyclopaedia.name(prediction.label, from: .head(answer.head), in: language)
                return "  \(prediction.percent.padded(to: 7)) \(name)"
            }
            return ([path, "  " + message] + answers).joined(separator: "\n")
        }
        let line = JSONLine(
            photo: path, message: message, species: answer.species, head: answer.head, abstained: answer.abstained,
            predictions: predictions.map { .init(label: $0.label, confidence: $0.confidence) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(line), as: UTF8.self)
    }
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
