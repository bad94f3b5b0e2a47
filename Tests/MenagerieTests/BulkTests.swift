import Base
import Foundation
import Storage
import TestSupport
import Testing

@testable import Menagerie

@Suite("Bulk", .slow, .timeLimit(.minutes(5))) struct BulkTests {
    private static let photo = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Photos/cat.jpg").standardized.path

    /// A folder with some photos in subfolders, an invalid photo, and a file of another kind.
    private func photos(_ count: Int, in folder: TemporaryFolder) throws -> String {
        let root = folder.path + "/photos"
        for index in 0..<count {
            let group = "\(root)/\(index % 7)"
            try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: Self.photo, toPath: "\(group)/\(index).jpg")
        }
        try Data("no photo".utf8).write(to: URL(filePath: root + "/broken.png"))
        try Data("notes".utf8).write(to: URL(filePath: root + "/notes.txt"))
        return root
    }

    private func lines(_ path: String) throws -> [[String: Any]] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func classify(_ arguments: String...) async throws -> Program.Result {
        try await Program.menagerie.run(["classify", "--log-level", "error"] + arguments)
    }

    @Test("A folder gets a line for each photo, and failures are named and counted")
    func folder() async throws {
        let folder = try TemporaryFolder()
        let root = try photos(20, in: folder)
        let output = folder.path + "/results.jsonl"
        let first = try await classify(root, "--output", output)
        #expect(first.status == 1)
        #expect(first.errors.contains("\(root)/broken.png: "), "\(first.errors)")
        #expect(first.errors.contains("20 photos classified, 1 failed; "), "\(first.errors)")
        let results = try lines(output)
        #expect(results.count == 21)
        #expect(Set(results.compactMap { $0["photo"] as? String }).count == 21)
        #expect(results.filter { $0["error"] != nil }.compactMap { $0["photo"] as? String } == [root + "/broken.png"])
        #expect(results.allSatisfy { $0["error"] != nil || ($0["predictions"] as? [Any])?.count == 3 })

        // Nothing is left to do. The exit code still reports the failure.
        let second = try await classify(root, "--output", output)
        #expect(second.status == 1)
        #expect(
            second.errors.contains("20 photos classified, 1 failed; 21 of them in earlier runs"), "\(second.errors)")
        #expect(try lines(output).count == 21)
    }

    @Test(
        "A file of a shared run that cannot be written leaves nothing beside it",
        .enabled(if: PostgreSQLServer.isAvailable))
    func unwritableSharedFile() async throws {
        let folder = try TemporaryFolder()
        let run = try await SharedRun.open(
            "night", connectionString: try PostgreSQLServer.shared.get().newDatabase())
        // A folder has the name of the file.
        let output = folder.path + "/results.jsonl"
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
        let error = await #expect(throws: FileError.self) { try await SharedWork.write(run, to: output) }
        #expect(error == .failed(path: output, code: EISDIR))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["results.jsonl"])
        try await run.close()
    }

    @Test("A file that is not there, and a folder without photos, are said in a sentence")
    func nothingThere() async throws {
        let folder = try TemporaryFolder()
        let missing = try await classify(folder.path + "/none.jpg")
        #expect(
            missing.status == 1 && missing.errors == "\(folder.path)/none.jpg: There is no such file.\n", "\(missing)")
        try folder.write(Array("notes".utf8), "empty/notes.txt")
        let empty = try await classify(folder.path + "/empty")
        #expect(
            empty.status == 1 && empty.errors == "Error: There are no photos in \(folder.path)/empty.\n", "\(empty)")
    }

    @Test("A run that was killed goes on where it stopped: nothing twice, nothing lost")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let root = try photos(120, in: folder)
        try FileManager.default.removeItem(atPath: root + "/broken.png")
        let output = folder.path + "/results.jsonl"
        var kills = 0
        for wanted in [10, 40, 80] {
            let process = Program.menagerie.process(
                ["classify", root, "--output", output, "--log-level", "error"])
            process.standardError = FileHandle.nullDevice
            try process.run()
            while process.isRunning,
                ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").count(of: "\n") < wanted
            {
                try await Task.sleep(for: .milliseconds(10))
            }
            if process.isRunning { kills += 1 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            // The remains of an interrupted write.
            let handle = try #require(FileHandle(forWritingAtPath: output))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(#"{"abstained":false,"head":"ca"#.utf8))
            try handle.close()
        }
        #expect(kills > 0)
        let last = try await classify(root, "--output", output)
        #expect(last.status == 0, "\(last.errors)")
        let photos = try lines(output).compactMap { $0["photo"] as? String }
        #expect(photos.count == 120)
        #expect(Set(photos).count == 120)
    }

    @Test("Lists are read from a file and from standard input; machines share the photos without overlap")
    func sharedList() async throws {
        let folder = try TemporaryFolder()
        let root = try photos(12, in: folder)
        let paths = try await PhotoPaths.all(in: [root], list: nil, photoBytes: 1 << 20)
        #expect(paths.count == 13)
        let list = folder.path + "/list.txt"
        // A photo that is named twice is processed once.
        try (paths + paths).joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
        var seen: [String] = []
        for share in ["1/3", "2/3", "3/3"] {
            let output = folder.path + "/\(share.prefix(1)).jsonl"
            _ = try await classify("--list", list, "--share", share, "--output", output)
            seen += try lines(output).compactMap { $0["photo"] as? String }
        }
        #expect(seen.sorted() == paths.sorted())
        let shell = Program(path: "/bin/sh")
        let piped = try await shell.run(
            [
                "-c",
                "head -n 2 '\(list)' | '\(Program.menagerie.url.path)' classify --list - --json",
            ])
        #expect(piped.output.split(separator: "\n").count + piped.errors.count(of: "broken.png: ") == 2)
    }

    @Test("Files whose names are equal texts are different photos; a list from Windows is read")
    func equalNames() async throws {
        let folder = try TemporaryFolder()
        let names = ["k\u{E4}.jpg", "ka\u{308}.jpg"].map { folder.path + "/" + $0 }
        for name in names { try Data(contentsOf: URL(filePath: Self.photo)).write(to: URL(filePath: name)) }
        let list = folder.path + "/list.txt"
        try Data(("\u{FEFF}" + names.joined(separator: "\r\n") + "\r\n").utf8).write(to: URL(filePath: list))
        for format in ["lines", "megadetector"] {
            let output = folder.path + "/results.\(format)"
            let result = try await classify("--list", list, "--format", format, "--output", output)
            #expect(result.status == 0 && result.errors.contains("2 photos classified"), "\(result.errors)")
            let written = try String(contentsOfFile: output, encoding: .utf8)
            #expect(names.allSatisfy { written.utf8.contains(($0 as NSString).lastPathComponent.utf8) })
        }
    }

    @Test("Two runs do not write to one file, and a file of something else is left alone")
    func output() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/results.jsonl"
        let first = try ResultsFile(path)
        #expect(throws: ResultsFileError.inUse(path)) { try ResultsFile(path) }
        try first.append(Array(#"{"photo":"a.jpg"}"#.utf8))
        withExtendedLifetime(first) {}
        let other = folder.path + "/other.txt"
        try Data("{\"photo\":\"a\"}\nShopping list\n".utf8).write(to: URL(filePath: other))
        #expect(throws: ResultsFileError.noResult(other, line: 2)) { try ResultsFile(other) }
        #expect(try String(contentsOfFile: other, encoding: .utf8).hasSuffix("Shopping list\n"))
    }

    @Test(arguments: ["Shopping list", #"{"images": []}"#, "\u{FFFD}"])
    func aFileOfSomethingElseWithoutAnEndOfLineIsLeftAlone(text: String) throws {
        let folder = try TemporaryFolder()
        let other = folder.path + "/other"
        try Data(text.utf8).write(to: URL(filePath: other))
        #expect(throws: ResultsFileError.noResult(other, line: 1)) { try ResultsFile(other) }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == text)
    }

    @Test func whatAKilledRunLeftOfALineIsRemoved() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/results.jsonl"
        for rest in ["{", #"{"photo":"b.j"#, #"{"photo":"b.jpg"}"#] {
            try Data("{\"photo\":\"a.jpg\"}\n\(rest)".utf8).write(to: URL(filePath: path))
            #expect(try ResultsFile(path).done == [Array("a.jpg".utf8)])
        }
    }

    /// Such as `lost+found` of a disk.
    @Test(.enabled(if: geteuid() != 0, "skipped: permissions do not bind root"))
    func aFolderThatCannotBeReadIsNamedAndTheOthersAreClassified() async throws {
        let folder = try TemporaryFolder()
        let root = try photos(2, in: folder)
        try FileManager.default.createDirectory(
            atPath: root + "/lost+found", withIntermediateDirectories: false, attributes: [.posixPermissions: 0])
        let result = try await classify(root, "--output", folder.path + "/results.jsonl")
        #expect(result.status == 1 && result.errors.contains("2 photos classified, 2 failed"), "\(result.errors)")
        #expect(result.errors.contains("\(root)/lost+found/: The permission"), "\(result.errors)")
    }

    @Test func resultsForTimelapseReplaceNoPhoto() async throws {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/cat.jpg"
        try FileManager.default.copyItem(atPath: Self.photo, toPath: copy)
        let result = try await classify("--format", "megadetector", "--output", copy, copy)
        #expect(result.status == 1 && result.errors.contains("no result of this command"), "\(result.errors)")
        #expect(FileManager.default.contentsEqual(atPath: copy, andPath: Self.photo))
    }

    @Test func aKilledRunForTimelapseLeavesNothingBesideItsResults() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/results.json"
        try Data("{\"images\"".utf8).write(to: URL(filePath: path + ".partial"))
        let result = try await classify("--format", "megadetector", "--output", path, Self.photo)
        #expect(result.status == 0, "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.hasPrefix("results") } == ["results.json"])
    }

    @Test func aFileThatIsTooLargeForAPhotoIsNotRead() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.jpg"
        try folder.write([], "a.jpg")
        #expect(truncate(path, 40 << 30) == 0)
        let script = "ulimit -v 20000000; exec '\(Program.menagerie.url.path)' classify '\(path)'"
        let result = try await Program(path: "/bin/sh").run(["-c", script])
        #expect(result.status == 1)
        #expect(result.errors.contains("a.jpg: The image has 42949672960 bytes; at most 33554432 are read."))
    }

    @Test func namesOfPhotosDoNotSteerTheTerminal() async throws {
        let folder = try TemporaryFolder()
        let moose = URL(filePath: Self.photo).appending(path: "../../../Public/samples/moose-small.webp").standardized
        try FileManager.default.copyItem(atPath: moose.path, toPath: folder.path + "/\u{1B}[31m\n.webp")
        for command in [["classify"], ["tag", "--dry-run", "--no-names"]] {
            let result = try await Program.menagerie.run(command + [folder.path])
            #expect(result.status == 0 && !result.output.contains("\u{1B}"), "\(result.errors)")
            #expect(result.output.contains("/\u{FFFD}[31m\u{FFFD}.webp"), "\(result.output)")
        }
    }

    @Test func resultsReplaceNoDevice() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.path] {
            let result = try await classify("--format", "megadetector", "--output", path, Self.photo)
            #expect(result.status == 64 && result.errors.contains(path), "\(result.errors)")
        }
        for path in [pipe, folder.path, folder.path + "/none/out.mp4"] {
            for flag in ["--out", "--laps-csv"] {
                let given = flag == "--out" ? [flag, path] : [flag, path, "--laps", "car"]
                let result = try await Program.menagerie.run(["video", Self.photo] + given)
                #expect(result.status == 64 && result.errors.contains(path), "\(result.errors)")
            }
        }
    }

    @Test func aFullQueueFailsNoPhotoOfARun() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<6 {
            try FileManager.default.copyItem(atPath: Self.photo, toPath: "\(folder.path)/\(number).jpg")
        }
        let result = try await classify(
            "--format", "megadetector", "--output", folder.path + "/results.json", "--set",
            "recognition.max_queue_size=2", folder.path)
        #expect(result.status == 0 && result.errors.contains("6 photos classified, 0 failed"), "\(result.errors)")
    }

    @Test func sharesReadLikeFractions() {
        #expect(PhotoShare("3/10") != nil)
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "1/2/3", ""] { #expect(PhotoShare(wrong) == nil) }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
