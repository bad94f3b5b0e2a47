import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

/// Kills a process that saves scans, after a random number of scans and a random delay. Every acknowledged scan must
/// exist.
///
/// `MENAGERIE_KILL_ROUNDS` sets the number of rounds: 20 by default, 200 before a release.
@Suite("Death of the process", .slow) struct KillTests {
    static let rounds = ProcessInfo.processInfo.environment["MENAGERIE_KILL_ROUNDS"].flatMap { Int($0) } ?? 20

    @Test func everyAcknowledgedScanSurvivesKill9() async throws {
        let directory = try TemporaryDirectory()
        var acknowledged: [ULID] = []
        for round in 0..<Self.rounds {
            // Every fourth process may be killed while it opens the history.
            let patience = round % 4 == 0 ? 0 : Int.random(in: 1...40)
            let lines = try await victim(directory: directory("data"), scans: patience)
            let ids = lines.compactMap { line in
                line.hasPrefix("saved ") ? ULID(String(line.dropFirst("saved ".count))) : nil
            }
            #expect(ids.count == lines.count)
            // A process that never saved anything would prove nothing.
            #expect(ids.count >= patience, "round \(round)")
            acknowledged += ids
            try await check(directory: directory("data"), acknowledged: ids, round: round)
        }
        try await check(directory: directory("data"), acknowledged: acknowledged, round: Self.rounds)
        print("\(Self.rounds) kills, \(acknowledged.count) acknowledged scans, none lost")
    }

    /// Runs the writer until it has acknowledged this many scans and a little longer, then kills it.
    ///
    /// - Returns: the lines that it wrote.
    private func victim(directory: String, scans: Int) async throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("StorageCrashWriter")
        process.arguments = [directory, "8"]
        // A file needs no reader, unlike a pipe, and outlives the process.
        let output = URL(fileURLWithPath: directory + ".acknowledged")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        let length = "saved \(ULID.next())\n".utf8.count
        // Ends the test if the process hangs.
        let deadline = ContinuousClock.now + .seconds(300)
        while (FileSystem.attributes(output.path)?.size ?? 0) < scans * length, process.isRunning, .now < deadline {
            try await Task.sleep(for: .milliseconds(1))
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...(scans == 0 ? 200 : 20))))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        let data = try Data(contentsOf: output)
        let text = String(decoding: data, as: UTF8.self)
        // The kill may truncate the last line.
        return text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
    }

    private func check(directory: String, acknowledged: [ULID], round: Int) async throws {
        let store = try await HistoryStore.open(HistoryConfiguration(directory: directory))
        var missing: [ULID] = []
        for id in acknowledged {
            if try await !isThere(id, store) { missing.append(id) }
        }
        #expect(missing == [], "round \(round) lost scans or photos")
        // The history grows with every round, so it is checked as a whole only in some rounds.
        if round % 10 == 0 || round == Self.rounds {
            let problems = try await store.checkIntegrity().problems
            #expect(problems == [], "round \(round)")
        }
        try await store.close()
    }

    /// Whether the scan exists with its photo. A scan that the process itself deleted must still be there for an undo.
    private func isThere(_ id: ULID, _ store: HistoryStore) async throws -> Bool {
        let rows = try await store.scans.database.read { connection in
            try connection.rows("SELECT deletion FROM scans WHERE id = ?", [.text(id.description)])
        }
        guard let row = rows.first else { return false }
        guard row[0] == .null else { return true }
        return try await store.photo(of: id) != nil
    }
}
