import Base
import Foundation
import Storage
import Testing
import TestSupport

/// `menagerie backup`, `restore` and `check` of the built program.
@Suite struct HistoryCommandTests {
    private struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Runs the program in the folder, with a separate home.
    private func menagerie(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> Outcome {
        let directory = URL(filePath: folder.path)
        return try await onThread {
            let process = Process()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent().appending(path: "menagerie")
            process.arguments = arguments
            process.currentDirectoryURL = directory
            process.environment = ["HOME": directory.path + "/home"].merging(environment) { $1 }
            let (output, errors) = (directory.appending(path: "out"), directory.appending(path: "err"))
            for file in [output, errors] { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            process.waitUntilExit()
            defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
            return Outcome(
                status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
        }
    }

    /// Makes a history of this many scans with photos.
    ///
    /// - Parameter snapshot: a copy of the folder, made before the history is closed.
    /// - Returns: their ids.
    private func makeHistory(_ name: String, _ count: Int = 3, snapshot: String? = nil) async throws -> [String] {
        let store = try await HistoryStore.open(HistoryConfiguration(directory: path(name)))
        var ids: [String] = []
        for number in 0..<count {
            let image = ScanImage(
                width: 1, height: 1, format: "jpeg", orientation: 1, sha256: ContentDigest(of: [UInt8(number)]))
            let scan = Scan(
                species: "cat", head: "cats", predictions: [Prediction(label: "siamese", confidence: 1)],
                message: "m", model: ScanModel(name: "menagerie", version: "1"), image: image,
                timing: Timing(decode: 1, queue: 1, inference: 1, batchSize: 1))
            ids.append(try await store.save(scan, photo: [UInt8(number), 7]).id.description)
        }
        if let snapshot { try FileManager.default.copyItem(atPath: path(name), toPath: path(snapshot)) }
        try await store.close()
        return ids
    }

    private func deleteAll(_ name: String) async throws {
        let store = try await HistoryStore.open(HistoryConfiguration(directory: path(name)))
        _ = try await store.scans.deleteAll()
        try await store.close()
    }

    private static let canMount = SmallFileSystem.obstacle == nil
    private static let mountComment = Comment(rawValue: "skipped: \(SmallFileSystem.obstacle ?? "")")

    /// The temporary folder is named if it has no room, not the history, which only needs reading.
    @Test(.enabled(if: canMount, mountComment)) func aReadOnlyHistoryNeedsRoomElsewhere() async throws {
        for name in ["disk", "small"] {
            try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        }
        let disks = (
            try SmallFileSystem(at: path("disk"), megabytes: 64), try SmallFileSystem(at: path("small"), megabytes: 1)
        )
        defer { [disks.0, disks.1].forEach { $0.unmount() } }
        _ = try await makeHistory("disk/data")
        try disks.0.remount(readOnly: true)
        let well = try await menagerie("check", "--data-dir", path("disk/data"))
        #expect(well.status == 0 && well.output.contains("3 scans"), "\(well)")
        SmallFileSystem.fill(path("small/filler"))
        let full = try await menagerie(
            "check", "--data-dir", path("disk/data"), environment: ["TMPDIR": path("small")])
        #expect(full.status == 1 && full.errors.contains("The disk that holds \(path("small"))/"), "\(full)")
    }

    /// The disk may not have a photo's file yet when the snapshot is taken.
    @Test(.enabled(if: canMount, mountComment)) func aReadOnlySnapshotIsCompletedFromItsJournal() async throws {
        try FileManager.default.createDirectory(atPath: path("disk"), withIntermediateDirectories: true)
        let disk = try SmallFileSystem(at: path("disk"), megabytes: 64)
        defer { disk.unmount() }
        _ = try await makeHistory("data", snapshot: "disk/data")
        let name = ContentDigest(of: [1, 7]).hexadecimal
        let photo = "disk/data/photos/\(name.prefix(1))/\(name.dropFirst().prefix(1))/\(name)"
        try FileManager.default.removeItem(atPath: path(photo))
        try disk.remount(readOnly: true)
        let checked = try await menagerie("check", "--data-dir", path("disk/data"))
        #expect(checked.output.contains("Checked 3 scans and 3 photos: 0 problems."), "\(checked)")
        let saved = try await menagerie("backup", path("copy"), "--data-dir", path("disk/data"))
        #expect(saved.status == 0 && saved.output.contains("3 scans and 3 photos"), "\(saved)")
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aBackupThatIsStoppedLeavesNothing(signal: Int32) async throws {
        _ = try await makeHistory("data", 250)
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "menagerie")
        process.arguments = ["backup", path("backups/b"), "--data-dir", path("data")]
        process.environment = ["HOME": path("home")]
        try FileManager.default.createDirectory(atPath: path("backups"), withIntermediateDirectories: false)
        try process.run()
        while process.isRunning, try FileManager.default.contentsOfDirectory(atPath: path("backups")).isEmpty {
            usleep(500)
        }
        kill(process.processIdentifier, signal)
        try await onThread { process.waitUntilExit() }
        #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path("backups")).isEmpty)
    }

    @Test func aFolderThatIsNoHistoryIsAnError() async throws {
        try FileManager.default.createDirectory(atPath: path("empty"), withIntermediateDirectories: true)
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for name in ["absent", "empty"] {
            let checked = try await menagerie("check", "--data-dir", path(name))
            #expect(checked.status == 1 && checked.errors.contains("There is no history in \(path(name))"))
            #expect(checked.errors.contains("--data-dir") && checked.output.isEmpty)
            let saved = try await menagerie("backup", path("copy"), "--data-dir", path(name))
            #expect(saved.status == 1 && saved.errors.contains("There is no history in \(path(name))"))
            let restored = try await menagerie("restore", path(name), "--data-dir", path("target"))
            #expect(restored.status == 1 && restored.errors.contains("There is no history in \(path(name))"))
            #expect(restored.errors.contains("menagerie backup"))
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path) == before)
    }

    @Test func aBackupIsRestoredAfterADeletionAndWhatIsThereIsNamed() async throws {
        let ids = try await makeHistory("data")
        let saved = try await menagerie("backup", path("copy"), "--data-dir", path("data"))
        #expect(saved.status == 0 && saved.output.contains("3 scans and 3 photos"), "\(saved)")
        try await deleteAll("data")
        let restored = try await menagerie("restore", path("copy"), "--data-dir", path("data"))
        #expect(restored.status == 0 && restored.output.contains("Restored 3 scans"), "\(restored)")
        let again = try await menagerie("restore", path("copy"), "--data-dir", path("data"))
        #expect(again.status == 0 && again.output.contains("Restored 0 scans") && again.output.contains("skipped 3"))
        for id in ids { #expect(again.output.contains("Skipped \(id): is there already."), "\(again)") }
        let checked = try await menagerie("check", "--data-dir", path("data"))
        #expect(checked.status == 0 && checked.output.contains("Checked 3 scans and 3 photos: 0 problems."))
        // Restoring creates a missing history.
        let made = try await menagerie("restore", path("copy"), "--data-dir", path("new/history"))
        #expect(made.status == 0 && made.output.contains("Restored 3 scans"), "\(made)")
        let itself = try await menagerie("restore", path("data"), "--data-dir", path("data"))
        #expect(itself.status != 0 && itself.errors.contains("is the history itself"), "\(itself)")
    }

    @Test func theHistoryIsFoundWhereThePlatformKeepsData() async throws {
        let nowhere = try await menagerie("check")
        #expect(nowhere.status == 1 && nowhere.errors.contains(path("home/.local/share/menagerie")), "\(nowhere)")
        let homeless = try await menagerie("check", environment: ["HOME": ""])
        #expect(homeless.status == 1 && homeless.errors.contains("history.data_directory"), "\(homeless)")
        _ = try await makeHistory("home/.local/share/menagerie", 2)
        let found = try await menagerie("check")
        #expect(found.status == 0 && found.output.contains("Checked 2 scans"), "\(found)")
        _ = try await makeHistory("xdg/menagerie", 1)
        let chosen = try await menagerie("check", environment: ["XDG_DATA_HOME": path("xdg")])
        #expect(chosen.output.contains("Checked 1 scan and 1 photo: 0 problems."), "\(chosen)")
        let saved = try await menagerie("backup", path("copy"), environment: ["XDG_DATA_HOME": path("xdg")])
        #expect(saved.output.contains("Copied 1 scan and 1 photo to "), "\(saved)")
        let restored = try await menagerie("restore", path("copy"), "--data-dir", path("other"))
        #expect(restored.output.contains("Restored 1 scan and 0 favourites from "), "\(restored)")
    }

    @Test func aHistoryInTheCurrentFolderIsUsedAndNamed() async throws {
        _ = try await makeHistory("data", 2)
        let old = try await menagerie("check")
        #expect(old.status == 0 && old.output.contains("Checked 2 scans"), "\(old)")
        #expect(old.errors.contains(path("data")) && old.errors.contains("mv "), "\(old)")
        #expect(!FileManager.default.fileExists(atPath: path("home")))
    }
}
