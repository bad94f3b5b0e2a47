import ArgumentParser
import Base
import Connections
import Encyclopaedia
import Foundation
import Recognition

/// `menagerie tag PHOTO…`: writes keywords for photo libraries to XMP files beside the photos.
struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Writes the animals in photos as keywords into XMP files beside them.",
        discussion: """
            Animals/Cats/Siamese is a keyword that digiKam, Lightroom, Immich and others read; an animal that you named in \
            the history is also a region with its name. photo.jpg gets photo.jpg.xmp; the photos themselves are never \
            changed. The contents of an XMP file stay. A second run replaces the keywords of the first, except those that \
            you removed since. --undo removes everything that was added.

            Exits with 1 if a photo or an XMP file could not be used. It stays unchanged, and the others are still processed.
            """)

    @Argument(help: "Photos, or folders of photos with their subfolders.")
    var photos: [String] = []

    @Flag(name: .long, help: "Removes everything that earlier runs added.")
    var undo = false

    @OptionGroup var tagging: TaggingOptions

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard !photos.isEmpty else { throw ValidationError("Name at least one photo or folder.") }
        guard !photos.contains(where: { S3Address($0) != nil }) else {
            throw ValidationError("XMP files are written beside photos on this machine, not into a store.")
        }
    }

    func run() async throws {
        try await options.run { settings in
            let paths = try await PhotoPaths.all(in: photos, list: nil, photoBytes: settings[Settings.maxBodyBytes])
            guard !paths.isEmpty else {
                throw SettingsError("There are no photos in \(photos.joined(separator: ", ")).")
            }
            let tally = try await undo ? takeBack(paths) : tag(paths, settings)
            print(tally)
            if tally.failures > 0 { throw ExitCode.failure }
        }
    }

    private func takeBack(_ paths: [String]) -> Tally {
        var tally = Tally(isDry: tagging.dryRun)
        for path in paths {
            let sidecar = Sidecar(of: path)
            tally.take(path, sidecar, Result { (try sidecar.undo(isDry: tagging.dryRun), []) })
        }
        return tally
    }

    private func tag(_ paths: [String], _ settings: Settings) async throws -> Tally {
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        let words = try tagging.words
        let photos = BulkPhotos(recogniser, settings)
        return try await KnownAnimals.with(recogniser, settings, names: tagging.names) { look in
            var tally = Tally(isDry: tagging.dryRun)
            let cores = ProcessInfo.processInfo.activeProcessorCount
            try await paths.concurrentForEach(atOnce: 2 * cores) { path in
                (path, await Result.of { try await look(photos.bytes(of: path)) })
            } use: { path, seen in
                let sidecar = Sidecar(of: path)
                let result = Result {
                    let seen = try seen.get()
                    let tags = words.tags(of: seen)
                    let outcome = try sidecar.add(
                        SidecarTags(seen, tags: tags, certainty: tagging.certainty), isDry: tagging.dryRun)
                    return (outcome, tags)
                }
                tally.take(path, sidecar, result)
            }
            return tally
        }
    }
}

/// The options of the commands that write tags.
struct TaggingOptions: ParsableArguments {
    @Flag(name: .long, help: "Prints the changes and writes nothing.")
    var dryRun = false

    @Flag(name: .long, inversion: .prefixedNo, help: "Whether animals with a name in the history get their name.")
    var names = true

    @Option(name: .long, help: "Least confidence of a breed, a species or a name, 0 to 1.")
    var certainty = 0.5

    @Option(name: .long, help: "Language of the tags: en or fi.")
    var lang = Language.english

    var words: PhotoTags {
        get throws { PhotoTags(encyclopaedia: try .bundled(), language: lang, certainty: certainty) }
    }

    func validate() throws {
        guard (0...1).contains(certainty) else { throw ValidationError("--certainty has to be from 0 to 1.") }
    }
}

/// The results of the photos.
private struct Tally: CustomStringConvertible {
    let isDry: Bool
    private(set) var photos = 0
    private(set) var failures = 0
    private(set) var outcomes: [Sidecar.Outcome: Int] = [:]

    mutating func take(_ path: String, _ sidecar: Sidecar, _ result: Result<(Sidecar.Outcome, [PhotoTag]), any Error>) {
        photos += 1
        switch result {
        case .success((let outcome, let tags)):
            outcomes[outcome, default: 0] += 1
            if outcome != .unchanged {
                let words = tags.map { $0.path.joined(separator: "/") }.joined(separator: ", ")
                print("\(sidecar.path.printable)\(words.isEmpty ? "" : ": \(words)")")
            }
        case .failure(let error):
            failures += 1
            printError("\(error is SidecarError ? sidecar.path : path): \(error)")
        }
    }

    var description: String {
        func count(_ outcome: Sidecar.Outcome) -> Int { outcomes[outcome] ?? 0 }
        return "\(counted(photos, "photo")): \(counted(count(.made), "XMP file")) made, \(count(.changed)) changed, "
            + "\(count(.removed)) removed, \(count(.unchanged)) as they were, \(failures) failed"
            + (isDry ? "; nothing was written" : "")
    }
}
