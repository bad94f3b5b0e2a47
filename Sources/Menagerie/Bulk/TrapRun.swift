import Base
import Connections
import Encyclopaedia
import Foundation
import Recognition
import Video

/// Runs over the pictures and films of camera traps and writes results in MegaDetector's format. A file of lines beside
/// the results lets an interrupted run continue.
struct TrapRun {
    let photos: BulkPhotos
    let output: String
    /// The prefix that is removed from file names in the results. Nil leaves the names as they are.
    let root: String?
    private let films: TrapFilm
    private let watcher: PhotoWatcher

    /// - Parameter every: pictures of a film a second that are looked at.
    init(_ recogniser: Recogniser, _ settings: Settings, output: String, root: String?, every: Double) {
        photos = BulkPhotos(recogniser, settings)
        self.output = output
        self.root = root
        watcher = PhotoWatcher(recogniser: recogniser)
        films = TrapFilm(watcher: watcher, every: every, limits: VideoLimits(settings))
    }

    /// - Returns: the number of pictures that could not be analysed.
    func run(_ paths: [String]) async throws -> Int {
        try ResultsFile.checkReplaceable(output)
        let lines = output + ".lines"
        let results = try ResultsFile(lines)
        var seen = results.done
        let left = paths.filter { seen.insert(Array($0.utf8)).inserted }
        let bar = ProgressBar(unit: "files")
        var tally = BulkTally(before: results.done.count, failures: results.failures)
        // A film has a process of its own that decodes it: no more of them than cores.
        let cores = min(photos.atOnce, ProcessInfo.processInfo.activeProcessorCount)
        for (areFilms, atOnce) in [(false, photos.atOnce), (true, cores)] {
            let paths = left.filter { PhotoPaths.isFilm($0) == areFilms }
            try await paths.concurrentForEach(atOnce: atOnce, entry) { entry in
                tally.count(isFailure: entry.error != nil)
                if let error = entry.error { printError("\(entry.photo): \(error)") }
                try results.append(Array(try JSONEncoder().encode(entry)))
                bar.show(tally.done, of: left.count)
            }
        }
        bar.finish()
        try results.synchronize()
        try assemble(lines, for: paths)
        FileSystem.remove(lines)
        printError("\(tally)")
        return tally.failures
    }

    private func entry(_ path: String) async -> TrapEntry {
        let isFilm = PhotoPaths.isFilm(path)
        do {
            if isFilm { return try await films.entry(path) }
            let photo = try await photos.bytes(of: path)
            return TrapEntry(
                photo: path,
                try await Recogniser.patiently { try await watcher.things(in: photo, options: .cameraTrap) })
        } catch {
            return TrapEntry(photo: path, isFilm: isFilm, error: "\(error)")
        }
    }

    /// Writes the results in the order of the pictures. The file gets its name when it is complete.
    private func assemble(_ lines: String, for paths: [String]) throws {
        let decoder = JSONDecoder()
        var entries: [[UInt8]: TrapEntry] = [:]
        for line in try String(contentsOfFile: lines, encoding: .utf8).split(separator: "\n") {
            let entry = try decoder.decode(TrapEntry.self, from: Data(line.utf8))
            entries[Array(entry.photo.utf8)] = entry
        }
        var writer = TrapResults(
            encyclopaedia: try .bundled(), detector: entries.values.compactMap(\.model).sorted().last ?? "",
            classifier: photos.recogniser.defaultModel)
        var text = writer.beginning
        for path in paths {
            guard let entry = entries.removeValue(forKey: Array(path.utf8)) else { continue }
            text += writer.image(entry, file: file(path))
        }
        text += writer.end
        // The lock on the lines keeps other runs out.
        try DurableFile.replace(output, with: Array(text.utf8), isOnlyWriter: true)
    }

    /// Timelapse finds a picture by its path relative to the folder of all pictures.
    private func file(_ path: String) -> String {
        guard let root, path.hasPrefix(root) else { return path }
        return String(path.dropFirst(root.count))
    }
}
