import ArgumentParser
import Foundation
import Recognition

/// `menagerie models`: what is in the folder of models, and what a file could be served as.
struct ModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "Inspects model files.", subcommands: [InspectCommand.self])

    /// `menagerie models inspect FILE`: a `manifest.json` to start from.
    struct InspectCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect", abstract: "Prints a manifest.json for a model file.",
            discussion: """
                Reads ONNX, TFLite, OpenVINO IR (.xml), a TensorFlow frozen graph (.pb) or Core ML (.mlmodel). What the \
                file does not tell is assumed and listed under "notes": check it. A list of labels beside the file, such \
                as labels.txt, is used when its length fits.
                """)

        @Argument(help: "Model file.")
        var file: String

        @Option(name: .long, help: "Name of the model; without it made from the file's name.")
        var name: String?

        func run() throws {
            do {
                let proposal = try ManifestProposal(inspecting: file, name: name)
                print(String(decoding: try proposal.json(), as: UTF8.self))
            } catch let error as RecognitionError {
                FileHandle.standardError.write(Data("\(file): \(error)\n".utf8))
                throw ExitCode.failure
            }
        }
    }
}
