import ArgumentParser
import Base
import Foundation
import Recognition

/// `menagerie models pull URL --sha256 SUM` or `pull NAME`: downloads a model, by name from the catalogue.
struct PullModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Fetches a model into the folder of models.",
        discussion: """
            SOURCE is the address of an .onnx, .tflite, .pb or .mlmodel file, or a name from `menagerie models \
            catalogue`. An interrupted download continues when the command is run again. The model is installed \
            only if its checksum is right and it answers a picture. A running service uses it at once. \
            Check the written manifest.json: it lists assumptions under "notes".
            """)

    @Argument(help: ArgumentHelp("Address, or a name from the catalogue.", valueName: "source"))
    var source: String

    @Option(name: .long, help: "SHA-256 of the file; required for an address.")
    var sha256: String?

    @Option(name: .long, help: "Name of the model; by default derived from the file's name.")
    var name: String?

    @Option(name: .customLong("model-version"), help: "Version of the model.")
    var modelVersion = "1"

    @Flag(name: .customLong("allow-private"), help: "Follows redirects to private addresses.")
    var allowsPrivate = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        if let sha256, sha256.count != 64 || !sha256.allSatisfy(\.isHexDigit) {
            throw ValidationError("--sha256 has to be 64 hexadecimal digits.")
        }
        if source.contains("://"), sha256 == nil {
            throw ValidationError("--sha256 is needed for an address: the file's publisher states it.")
        }
    }

    func run() throws {
        let settings = try options.load()
        let directory = try AssetLocator.models(settings)
        let inspection = ModelTrial(settings).inspection
        do throws(ModelDownloadError) {
            let download = try download(into: directory, inspection)
            let bar = ProgressLine()
            let result = try download.run { bar.show($0, of: $1) }
            bar.finish()
            print("\(result.folder): \(result.bytes) bytes, SHA-256 \(result.manifest.sha256)")
            for note in result.manifest.notes ?? [] { print("  to be checked: \(note)") }
        } catch {
            printError("\nError: \(error).")
            throw ExitCode.failure
        }
    }

    private func download(
        into directory: String, _ inspection: ModelInspection
    ) throws(ModelDownloadError) -> ModelDownload {
        guard !source.contains("://") else {
            return try ModelDownload(
                address: source, name: name, version: modelVersion, sha256: sha256, into: directory,
                allowsPrivate: allowsPrivate, inspection: inspection)
        }
        guard let entry = try PublicModels.read(for: directory).models.first(where: { $0.name == source }) else {
            throw .catalogue("\(source) is neither an address nor in the catalogue")
        }
        if sha256 == nil, entry.sha256 == nil {
            printError("No checksum is stated for \(source): nothing proves that the right file comes.")
        }
        return try ModelDownload(
            address: entry.url, name: name ?? entry.name, version: modelVersion, sha256: sha256 ?? entry.sha256,
            labels: entry.labels, into: directory, allowsPrivate: allowsPrivate, inspection: inspection)
    }
}

/// The progress, on one line of standard error. A terminal's line is rewritten; elsewhere every tenth is printed.
private final class ProgressLine: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let shown = Locked(-1)

    func show(_ received: Int, of total: Int?) {
        let step = total.map { received * 100 / max(1, $0) } ?? received / 1_000_000
        let unit = total == nil ? " MB" : " %"
        let isNew = shown.withLock { shown in
            guard isTerminal ? step != shown : step / 10 != shown / 10 || shown < 0 else { return false }
            shown = step
            return true
        }
        guard isNew else { return }
        writeError(isTerminal ? "\r\(step)\(unit)" : "\(step)\(unit)\n")
    }

    func finish() { if isTerminal { printError("") } }
}
