import Base
import Foundation
import Storage

/// Prints the cost of saving a scan, reading a page and searching the articles.
///
///     swift run -c release StorageBenchmark [ROWS]
///
/// Benchmarks/Storage/classify measures the share of saving in a whole classify request. Saving: 1, 8 and 32 clients
/// save scans with a photo of 60 KB. Reading: one page of 20 from a history of 1,000 scans and from one of ROWS (1,000,000 by
/// default).
@main struct StorageBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "history-benchmark-\(ULID.next())")
        defer { try? FileManager.default.removeItem(at: directory) }
        if arguments.first == "grow" {
            return try await GrowthBenchmark.run(
                gigabytes: arguments.dropFirst().first.flatMap { Double($0) } ?? 3, directory.path)
        }
        try SearchBenchmark.run()
        let rows = arguments.first.flatMap { Int($0) } ?? 1_000_000
        for clients in [1, 8, 32] {
            try await saving(clients: clients, photos: true, directory.path + "/photos-\(clients)")
        }
        try await saving(clients: 8, photos: false, directory.path + "/rows-8")
        let small = try await filled(1_000, directory.path + "/small")
        let large = try await filled(rows, directory.path + "/large")
        for (name, query) in queries {
            let few = try await reading(small, query)
            let many = try await reading(large, query)
            print(
                "page, \(name): \(microseconds(few)) at 1,000 rows, \(microseconds(many)) at \(rows) rows,",
                "ratio \(String(format: "%.2f", many / few))")
        }
        try await small.close()
        try await large.close()
    }

    private static let queries: [(String, HistoryQuery)] = [
        ("everything", HistoryQuery()), ("one label", HistoryQuery(label: "label-7")),
        ("one species", HistoryQuery(species: "cat")), ("not corrected", HistoryQuery(corrected: false)),
        ("last hour", HistoryQuery(from: Date(milliseconds: 1_800_000_000_000 - 3_600_000))),
    ]

    // MARK: Saving

    private static func saving(clients: Int, photos: Bool, _ directory: String) async throws {
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory))
        let count = 1_600
        let photo = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let processor = processorSeconds()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    for number in stride(from: client, to: count, by: clients) {
                        var bytes = photo
                        withUnsafeBytes(of: number) { bytes.replaceSubrange(0..<8, with: $0) }
                        _ = try await store.save(scan(number), photo: photos ? bytes : nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let used = processorSeconds() - processor
        print(
            "save, \(clients) clients\(photos ? ", with a photo" : ", row only"):",
            String(
                format: "%.0f/s, %.2f ms wall and %.2f ms processor time per scan", Double(count) / seconds,
                seconds / Double(count) * 1e3, used / Double(count) * 1e3))
        try await store.close()
    }

    // MARK: Reading

    private static func filled(_ rows: Int, _ directory: String) async throws -> HistoryStore {
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory))
        for start in stride(from: 0, to: rows, by: 1_000) {
            // There is a scan every ten seconds, the last one just before the end of the range.
            let scans = (start..<min(start + 1_000, rows)).map { number in
                scan(number, at: Date(milliseconds: 1_800_000_000_000 - Int64(rows - number) * 10_000))
            }
            _ = try await store.scans.insert(scans)
        }
        return store
    }

    /// The median of 300 readings, in seconds.
    private static func reading(_ store: HistoryStore, _ query: HistoryQuery) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<300 {
            let start = ContinuousClock.now
            let page = try await store.scans.page(query)
            times.append((ContinuousClock.now - start) / .seconds(1))
            precondition(page.items.count <= 20)
        }
        return times.sorted()[150]
    }

    static func scan(_ number: Int, at date: Date? = nil) -> Scan {
        let label = "label-\(number % 40)"
        let predictions = (0..<3).map {
            Prediction(label: $0 == 0 ? label : "other-\($0)", confidence: 0.9 / Float($0 + 1))
        }
        return Scan(
            id: date.map { ULID(date: $0) } ?? .next(), species: number % 2 == 0 ? "cat" : "dog", head: "cats",
            predictions: predictions, heads: ["cats": predictions, "dogs": predictions, "objects": predictions],
            presence: ["cat": 0.99, "dog": 0.005, "other": 0.005], message: "This cat shares the features of:",
            model: ScanModel(name: "menagerie", version: "1"),
            image: ScanImage(
                width: 500, height: 375, format: "jpeg", orientation: 1,
                sha256: ContentDigest(of: Array("\(number)".utf8))),
            timing: Timing(decode: 7.1, queue: 0.2, inference: 2.1, batchSize: 4))
    }
}

func microseconds(_ seconds: Double) -> String {
    String(format: "%.0f µs", seconds * 1e6)
}

/// The processor time of this process, over all threads.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
