import Base
import Foundation
import Storage

/// Prints how long saves and pages take while a history grows, and then the cost of a backup and of deletions.
///
///     swift run -c release StorageBenchmark grow [GIGABYTES]
///
/// Eight clients save scans with photos of 60 to 300 KB of noise. A line is printed for each 250 MB.
enum GrowthBenchmark {
    private static let bytesOfRound = 250_000_000

    static func run(gigabytes: Double, _ directory: String) async throws {
        let noise = (0..<32 << 17).flatMap { _ in withUnsafeBytes(of: UInt64.random(in: 0...UInt64.max)) { Array($0) } }
        let store = try await HistoryStore.open(
            HistoryConfiguration(
                directory: directory + "/history", options: RepositoryOptions(undoGrace: 0), orphanAge: 0))
        for round in 1...max(1, Int(gigabytes * 1e9) / bytesOfRound) {
            try await grow(store, noise, round)
        }
        try await timed("full backup") { _ = try await store.backup(to: directory + "/backup") }
        var (ids, count) = ([ULID](), 0)
        try await store.exportPages(HistoryQuery()) { scans in
            for scan in scans {
                if count % 10 == 0 { ids.append(scan.id) }
                count += 1
            }
        }
        try await timed("a tenth deleted") { [ids] in
            _ = try await store.scans.delete(ids: ids)
            _ = try await store.maintain()
        }
        try await store.close()
    }

    private static func grow(_ store: HistoryStore, _ noise: [UInt8], _ round: Int) async throws {
        let (clients, count) = (8, bytesOfRound / 180_000)
        let processor = processorSeconds()
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for client in 0..<clients {
                group.addTask {
                    var times: [Double] = []
                    for number in stride(from: client, to: count, by: clients) {
                        let size = Int.random(in: 60_000...300_000)
                        let start = Int.random(in: 0..<noise.count - size)
                        let photo = Array(noise[start..<start + size])
                        times.append(
                            try await milliseconds {
                                _ = try await store.save(StorageBenchmark.scan(number), photo: photo)
                            })
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let used = (processorSeconds() - processor) / Double(count) * 1e3
        var pages: [Double] = []
        for _ in 0..<200 { pages.append(try await milliseconds { _ = try await store.scans.page(HistoryQuery()) }) }
        print(
            "\(round * bytesOfRound / 1_000_000) MB: saving \(quantiles(times)),",
            String(format: "%.2f ms of processor time;", used), "page \(quantiles(pages))")
    }

    private static func quantiles(_ times: [Double]) -> String {
        let sorted = times.sorted()
        return String(format: "%.1f ms, p99 %.1f ms", sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
    }

    private static func milliseconds(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static func timed(_ what: String, _ body: () async throws -> Void) async throws {
        print("\(what): \(String(format: "%.1f s", try await milliseconds(body) / 1e3))")
    }
}
