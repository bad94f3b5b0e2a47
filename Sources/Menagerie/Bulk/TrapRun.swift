import Base
import Connections
import Encyclopaedia
import Foundation
import Recognition

/// Runs over the pictures of camera traps and writes results in MegaDetector's format. A file of lines beside the
/// results lets an interrupted run continue.
struct TrapRun {
    let photos: BulkPhotos
    let output: String
    /// The prefix that is removed from file names in the results. Nil leaves the names as they are.
    let root: String?

    /// - Returns: the number of pictures that could not be analysed.
    func run(_ paths: [String]) async throws -> Int {
        let lines = output + ".lines"
        let results = try ResultsFile(lines)
        var seen = results.done
        let left = paths.filter { seen.insert($0).inserted }
        let bar = ProgressBar(total: left.count, unit: "photos")
        var tally = BulkTally(before: results.done.count, failures: results.failures)
        let watcher = PhotoWatcher(recogniser: photos.recogniser)
        try await left.concurrentForEach(atOnce: photos.atOnce) { path in
            await entry(path, watcher)
        } use: { entry in
            let result: Result<Void, any Error> = entry.error.map { .failure(SettingsError($0)) } ?? .success(())
            tally.count(result)
            if let error = entry.error { FileHandle.standardError.write(Data("\(entry.photo): \(error)\n".utf8)) }
            try results.append(Array(try JSONEncoder().encode(entry)))
            bar.show(tally.done)
        }
        bar.finish()
        try results.synchronize()
        try assemble(lines, for: paths)
        FileSystem.remove(lines)
        FileHandle.standardError.write(Data("\(tally)\n".utf8))
        return tally.failures
    }

    private func entry(_ path: String, _ watcher: PhotoWatcher) async -> TrapEntry {
        do {
            let photo = try await photos.bytes(of: path)
            let options = DetectionOptions(
                threshold: TrapResults.leastConfidence, limit: 100, tiles: .automatic, priority: .bulk)
            return TrapEntry(photo: path, try await watcher.things(in: photo, options: options))
        } catch {
            return TrapEntry(photo: path, error: "\(error)")
        }
    }

    /// Writes the results in the order of the pictures. The file gets its name when it is complete.
    private func assemble(_ lines: String, for paths: [String]) throws {
        let decoder = JSONDecoder()
        var entries: [String: TrapEntry] = [:]
        for line in try String(contentsOfFile: lines, encoding: .utf8).split(separator: "\n") {
            let entry = try decoder.decode(TrapEntry.self, from: Data(line.utf8))
            entries[entry.photo] = entry
        }
        var writer = TrapResults(
            encyclopaedia: try .bundled(), detector: entries.values.compactMap(\.model).sorted().last ?? "",
            classifier: photos.recogniser.defaultModel)
        var text = writer.beginning
        for path in paths {
            guard let entry = entries.removeValue(forKey: path) else { continue }
            text += writer.image(entry, file: file(path))
        }
        text += writer.end
        let partial = output + ".partial"
        FileSystem.remove(partial)
        FileSystem.closeDescriptor(try FileSystem.create(partial, Array(text.utf8)))
        try FileSystem.publish(partial, as: output)
    }

    /// Timelapse finds a picture by its path relative to the folder of all pictures.
    private func file(_ path: String) -> String {
        guard let root, path.hasPrefix(root) else { return path }
        return String(path.dropFirst(root.count))
    }
}
