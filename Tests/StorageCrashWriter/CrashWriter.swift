import Base
import Foundation
import Storage

/// The process that the kill test kills. Several tasks save scans with photos as fast as possible. Each id is written
/// to standard output after `save` has returned. The process never ends by itself.
///
///     StorageCrashWriter DIRECTORY TASKS
@main struct CrashWriter {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let tasks = Int(CommandLine.arguments[2]) else {
            FileHandle.standardError.write(Data("usage: StorageCrashWriter DIRECTORY TASKS\n".utf8))
            exit(64)
        }
        let store = try await HistoryStore.open(
            HistoryConfiguration(directory: CommandLine.arguments[1], orphanAge: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var deleted: ULID?
                    for round in 0... {
                        let scan = try await store.save(scan(), photo: photo(task, round, count: 3_000))
                        acknowledge("saved \(scan.id)")
                        if round % 8 == 3 { deleted = try await store.scans.delete(id: scan.id).id }
                        if round % 8 == 5, let deletion = deleted { _ = try await store.scans.undo(deletion) }
                    }
                }
            }
            // Collects unused photos constantly, so that the kill can interrupt this too.
            group.addTask {
                while true {
                    _ = try await store.maintain()
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            try await group.waitForAll()
        }
    }

    /// Writes fewer than PIPE_BUF bytes at once, so that lines of different tasks do not mix (POSIX.1-2017, write).
    private static func acknowledge(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Every eighth photo repeats an earlier one.
    private static func photo(_ task: Int, _ round: Int, count: Int) -> [UInt8] {
        let seed = round % 8 == 0 ? "shared" : "\(getpid()) \(task) \(round)"
        return Array(String(repeating: seed + " ", count: count / (seed.utf8.count + 1)).utf8)
    }

    private static func scan() -> Scan {
        Scan(
            species: "cat", head: "cats", predictions: [Prediction(label: "siamese", confidence: 0.9)],
            message: "This cat shares the features of:", model: ScanModel(name: "menagerie", version: "1"),
            image: ScanImage(
                width: 500, height: 375, format: "jpeg", orientation: 1, sha256: ContentDigest(of: [UInt8]())),
            timing: Timing(decode: 1, queue: 1, inference: 1, batchSize: 1))
    }
}
