import ArgumentParser
import Base
import Connections
import Foundation
import Recognition

/// `menagerie immich ADDRESS`: adds tags, and pets as people, to an Immich library.
struct ImmichCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "immich", abstract: "Tags the animals in the photos of an Immich library.",
        discussion: """
            Immich's key is in --key-file, or in IMMICH_API_KEY. Photos get tags such as Animals/Cats/Siamese. An animal \
            that you named in the history becomes a person with a face in each of its photos. Existing tags and faces are \
            not created again.

            Exits with 1 if a photo could not be analysed. The others are still processed.
            """)

    @Argument(help: "Immich's address, such as http://immich:2283.")
    var address: String

    @Option(name: .long, help: "File with one of Immich's API keys.")
    var keyFile: String?

    @Option(name: .long, help: "Takes only photos that changed after this time, such as 2026-11-01T00:00:00Z.")
    var since: String?

    @OptionGroup var tagging: TaggingOptions

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard since.map({ Date(rfc3339: $0) != nil }) ?? true else {
            throw ValidationError("--since has to be a time such as 2026-11-01T00:00:00Z.")
        }
    }

    func run() async throws {
        try await options.run { settings in
            let client = try ImmichClient(address: address, key: try key())
            let recogniser = try await Application.startRecogniser(settings)
            defer { recogniser.stop() }
            let tags = try tagging.words
            let tally = try await KnownAnimals.with(recogniser, settings, names: tagging.names) { look in
                try await ImmichRun(
                    client: client, tags: tags, certainty: tagging.certainty, isDry: tagging.dryRun, look: look
                ).run(since: since.flatMap { Date(rfc3339: $0) }) { print($0) }
            }
            print(
                "\(counted(tally.photos, "photo")): \(tally.tagged) with tags, \(counted(tally.named, "name")) given, "
                    + "\(tally.failures) failed" + (tagging.dryRun ? "; nothing was written" : ""))
            if tally.failures > 0 { throw ExitCode.failure }
        }
    }

    /// Reads the key from a file or the environment, because other users can read a command line.
    private func key() throws -> String {
        let text: String
        do {
            text =
                try keyFile.map { String(decoding: try Data(ofFile: $0), as: UTF8.self) }
                ?? ProcessInfo.processInfo.environment["IMMICH_API_KEY"] ?? ""
        } catch {
            throw SettingsError("--key-file \(keyFile ?? ""): \(error)")
        }
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SettingsError("Immich's key is missing: name its file with --key-file, or set IMMICH_API_KEY.")
        }
        return key
    }
}
