import ArgumentParser
import Foundation
import Recognition

/// `menagerie models`: lists installed and available models, and inspects model files.
struct ModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "Lists, fetches and inspects models.",
        subcommands: [
            ListModelsCommand.self, ModelCatalogueCommand.self, PullModelCommand.self, InspectModelCommand.self,
        ])
}

/// `menagerie models list`: lists the models in the folder.
struct ListModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the models in the folder and their versions.")

    @OptionGroup var options: SettingsOptions

    func run() throws {
        let directory = try AssetLocator.models(try options.load())
        let store = ModelStore(root: directory)
        for name in store.names {
            print(name, store.versions(of: name).joined(separator: ", "), separator: "\t")
        }
    }
}

/// `menagerie models catalogue`: lists well-known public models that can be pulled by name.
struct ModelCatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Lists well-known public models with their licences and addresses.",
        discussion: """
            `menagerie models pull NAME` downloads one. The list is catalogue.json in the folder of models, otherwise the \
            one that came with the program.
            """)

    @OptionGroup var options: SettingsOptions

    func run() throws {
        let directory = try AssetLocator.models(try options.load())
        for entry in try PublicModels.read(for: directory).models {
            let size = entry.bytes.map { "\(($0 + 500_000) / 1_000_000) MB" } ?? "size not stated"
            let check = entry.sha256 == nil ? "no checksum stated" : "checksum stated"
            print("\(entry.name): \(entry.title), \(entry.task.rawValue), \(size), \(entry.licence), \(check)")
            print("    \(entry.url)")
        }
    }
}

/// `menagerie models inspect FILE`: prints a `manifest.json` to start from.
struct InspectModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Prints a manifest.json for a model file.",
        discussion: """
            Reads ONNX, TFLite, OpenVINO IR (.xml), a TensorFlow frozen graph (.pb) or Core ML (.mlmodel). Check the \
            assumptions under "notes", which fill gaps in the file. A list of labels beside the file, such as \
            labels.txt, is used if its length fits.
            """)

    @Argument(help: "Model file.")
    var file: String

    @Option(name: .long, help: "Name of the model; by default derived from the file's name.")
    var name: String?

    func run() throws {
        do {
            _ = try FileHandle.reading(file)
            let proposal = try ManifestProposal(inspecting: file, name: name)
            print(String(decoding: try proposal.manifest.json(), as: UTF8.self))
        } catch {
            printError("\(file): \(error)")
            throw ExitCode.failure
        }
    }
}

extension AssetLocator {
    static func models(_ settings: Settings) throws -> String {
        try directory("Models", configured: Settings.modelsDirectory, in: settings).path
    }
}

extension PublicModels {
    /// The catalogue of the folder of models, or else the one that came with the program.
    static func read(for directory: String) throws(ModelDownloadError) -> PublicModels {
        try read(in: directory, orIn: AssetLocator.bundled("Models")?.path)
    }
}
