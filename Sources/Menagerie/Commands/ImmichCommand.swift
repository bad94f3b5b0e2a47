import ArgumentParser
import Base
import Connections
import Encyclopaedia
import Foundation
import Logging
import Recognition
import Telemetry

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

    @Flag(name: .long, help: "Prints the changes and writes nothing.")
    var dryRun = false

    @Flag(name: .long, inversion: .prefixedNo, help: "Whether animals with a name in the history get their name.")
    var names = true

    @Option(name: .long, help: "Least confidence of a breed, a species or a name, 0 to 1.")
    var certainty = 0.5

    @Option(name: .long, help: "Language of the tags: en or fi.")
    var lang = "en"

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard (0...1).contains(certainty) else { throw ValidationError("--certainty has to be from 0 to 1.") }
        guard Language(rawValue: lang) != nil else { throw ValidationError("--lang has to be en or fi.") }
        guard since.map({ Date(rfc3339: $0) != nil }) ?? true else {
            throw ValidationError("--since has to be a time such as 2026-11-01T00:00:00Z.")
        }
    }

    func run() async throws {
        let settings = try options.load()
        let log = LoggingSystem.bootstrap(settings)
        defer { log.flush() }
        do {
            let client = try ImmichClient(address: address, key: try key())
            let recogniser = try await Application.startRecogniser(settings, observer: NoObserver())
            defer { recogniser.stop() }
            let tags = PhotoTags(
                encyclopaedia: try .bundled(), language: Language(rawValue: lang) ?? .english, certainty: certainty)
            let tally = try await KnownAnimals.with(recogniser, settings, names: names) { watcher, namesPets in
                try await ImmichRun(client: client, tags: tags, certainty: certainty, isDry: dryRun) { photo in
                    try await watcher.animals(
                        in: photo, namesPets: namesPets, options: ClassificationOptions(priority: .bulk))
                }.run(since: since.flatMap { Date(rfc3339: $0) }) { print($0) }
            }
            print(
                "\(counted(tally.photos, "photo")): \(tally.tagged) with tags, \(counted(tally.named, "name")) given, "
                    + "\(tally.failures) failed" + (dryRun ? "; nothing was written" : ""))
            if tally.failures > 0 { throw ExitCode.failure }
        } catch let code as ExitCode {
            throw code
        } catch {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    /// Reads the key from a file or the environment, because other users can read a command line.
    private func key() throws -> String {
        let text =
            try keyFile.map { try String(contentsOfFile: $0, encoding: .utf8) }
            ?? ProcessInfo.processInfo.environment["IMMICH_API_KEY"] ?? ""
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SettingsError("Immich's key is missing: name its file with --key-file, or set IMMICH_API_KEY.")
        }
        return key
    }
}
