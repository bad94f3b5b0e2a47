import ArgumentParser
import Base
import Foundation
import Streams
import TestSupport
import Testing

@testable import Menagerie

/// What commands read and write.
@Suite("Files of commands") struct CommandFileTests {
    @Test func outputThatDoesNotFitIsAnError() async throws {
        for command in ["config", "models list", "--help", "serve --help", "--version"] {
            let script = "'\(Program.menagerie.url.path)' \(command) >/dev/full"
            let result = try await Program(path: "/bin/sh").run(["-c", script])
            #expect(result.status == 1, "\(command)")
            #expect(result.errors == "Error: The output could not be written in full.\n", "\(command)")
        }
    }

    @Test(arguments: ["2>/dev/full", "2>&-", "<&- >&- 2>&-"])
    func errorsThatNobodyTakesCostNothingElse(redirection: String) async throws {
        let script = "'\(Program.menagerie.url.path)' check --data-dir /nowhere \(redirection)"
        let result = try await Program(path: "/bin/sh").run(["-c", script])
        #expect(result.status == 1 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test func theHistoryNeverTakesThePlaceOfAClosedOutput() async throws {
        let folder = try TemporaryFolder()
        let program = Program.menagerie.process(["serve", "--port", "0", "--data-dir", folder.path])
        let script = Program(path: "/bin/sh").process(["-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"])
        script.arguments = (script.arguments ?? []) + [Program.menagerie.url.path] + (program.arguments ?? [])
        try script.run()
        defer { script.terminate() }
        for _ in 0..<600 where !FileManager.default.fileExists(atPath: folder.path + "/history.sqlite") {
            try await Task.sleep(for: .milliseconds(50))
        }
        for number in 0...2 {
            let file = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(script.processIdentifier)/fd/\(number)")
            #expect(file == "/dev/null")
        }
    }

    @Test func namesThatAreNotUTF8AreRefusedBeforeAnythingIsMade() async throws {
        let folder = try TemporaryFolder()
        for script in [
            "'\(Program.menagerie.url.path)' classify --data-dir \"$(printf 'd\\351')\" x.jpg",
            "MENAGERIE_HISTORY_DATA_DIRECTORY=\"$(printf 'd\\351')\" '\(Program.menagerie.url.path)' check",
        ] {
            let result = try await Program(path: "/bin/sh").run(["-c", script], in: folder.path)
            #expect(result.status == 64 && result.errors.contains("is not UTF-8"), "\(result.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func withoutADataFolderCompiledModelsAreKeptInTheCache() async throws {
        let home = try TemporaryFolder()
        let photo = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Photos/cat.jpg")
        let result = try await Program.menagerie.run(["classify", photo.path], environment: ["HOME": home.path])
        #expect(result.status == 0, "\(result.errors)")
        #expect(FileSystem.names(in: home.path + "/.cache/menagerie/compiled").contains { $0.hasSuffix(".compiled") })
        #expect(FileSystem.names(in: home.path) == [".cache"])
    }

    @Test func aFolderOfModelsMayBeALink() async throws {
        let folder = try TemporaryFolder()
        let models = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Models")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/models", withDestinationPath: models.standardized.path)
        let result = try await Program.menagerie.run(
            ["models", "list", "--set", "recognition.models_directory=\(folder.path)/models"])
        #expect(result.status == 0 && result.output.contains("menagerie"), "\(result.errors)")
    }

    @Test(arguments: ["--out film.mp4", "--out ../a/film.mp4", "--laps dog --laps-csv link.mp4"])
    func aVideoIsNotOverwrittenByWhatIsMadeOfIt(options: String) async throws {
        let folder = try TemporaryFolder()
        let root = folder.path + "/a"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try Data("a film".utf8).write(to: URL(filePath: root + "/film.mp4"))
        try FileManager.default.createSymbolicLink(atPath: root + "/link.mp4", withDestinationPath: "film.mp4")
        let given = options.split(separator: " ").map(String.init)
        let result = try await Program.menagerie.run(["video", "film.mp4"] + given, in: root)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains("would overwrite film.mp4"), "\(result.errors)")
    }

    @Test func theFilmAndTheLapsOfAVideoNeedTwoFiles() async throws {
        let result = try await Program.menagerie.run(
            ["video", "film.mp4", "--laps", "dog", "--out", "a", "--laps-csv", "./a"])
        #expect(result.status == 64 && result.errors.contains("name the same file"), "\(result.errors)")
    }

    @Test(.enabled(if: SmallFileSystem.obstacle == nil)) func aFullDiskIsNamedWhereTheLapsDoNotFit() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 1)
        defer { disk.unmount() }
        SmallFileSystem.fill(folder.path + "/full")
        let path = folder.path + "/laps.csv"
        let options = try VideoLapOptions.parse(["--laps", "cat", "--laps-csv", path])
        let error = #expect(throws: FileError.self) { try options.write([]) }
        #expect(error == .diskFull(path: path))
        #expect(FileSystem.names(in: folder.path) == ["full"])
    }

    /// A device is replaced for every program of the machine, so the test takes a pipe.
    @Test(arguments: [
        "video film.mp4 --out pipe", "video film.mp4 --out link", "video film.mp4 --laps dog --laps-csv pipe",
        "classify x.jpg --output pipe", "classify x.jpg --format megadetector --output pipe",
        "video film.mp4 --out .",
    ])
    func onlyAFileIsReplaced(command: String) async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "pipe")
        let result = try await Program.menagerie.run(command.split(separator: " ").map(String.init), in: folder.path)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains("there is something other than a file"), "\(result.errors)")
    }

    /// An unset variable of a shell is an empty name.
    @Test(arguments: [
        ["video", "film.mp4", "--out", ""], ["classify", "x.jpg", "--output", ""],
        ["video", "film.mp4", "--out", "films/"],
    ])
    func anOutputWithoutANameIsRefusedBeforeTheWork(command: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await Program.menagerie.run(command, in: folder.path)
        #expect(result.status == 64 && result.errors.contains("has to name a file"), "\(result.errors)")
    }

    @Test func aVideoInAPipeIsCalledThat() async throws {
        let script = "printf x | '\(Program.menagerie.url.path)' video /dev/stdin"
        let result = try await Program(path: "/bin/sh").run(["-c", script])
        #expect(result.status == 1 && result.errors.contains("/dev/stdin: It is a pipe"), "\(result.errors)")
    }

    @Test func aTimeWithoutItsPointIsRefused() async throws {
        let result = try await Program.menagerie.run(["video", "film.mp4", "--point-at", "5"])
        #expect(result.status == 64 && result.errors.contains("--point-at needs --point"), "\(result.errors)")
    }

    @Test(arguments: [
        (["classify", "--list", "/nowhere/list"], "Error: /nowhere/list: There is no such file.\n"),
        (["classify", "--list", "/tmp"], "Error: /tmp: It is not a readable file.\n"),
        (
            ["immich", "http://127.0.0.1:1", "--key-file", "/nowhere/key"],
            "Error: --key-file /nowhere/key: There is no such file.\n"
        ),
        (["classify", "/dev/zero", "/nowhere"], "/dev/zero: It is not a readable file.\n"),
        (["classify", "/\u{1B}[31mno where"], "/\u{FFFD}[31mno where: There is no such file.\n"),
        (["video", "/nowhere.mp4"], "/nowhere.mp4: There is no such file.\n"),
        (["video", "/tmp"], "/tmp: It is not a readable file.\n"),
        (["models", "inspect", "/nowhere.onnx"], "/nowhere.onnx: There is no such file.\n"),
    ])
    func whatCannotBeReadIsNamed(arguments: [String], message: String) async throws {
        let result = try await Program.menagerie.run(arguments)
        #expect(result.status == 1)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test func aListMayComeThroughAPipe() async throws {
        let script = "echo /nowhere.jpg | '\(Program.menagerie.url.path)' classify --list /dev/stdin"
        let result = try await Program(path: "/bin/sh").run(["-c", script])
        #expect(result.errors.contains("/nowhere.jpg: There is no such file."), "\(result.errors)")
        // Nobody writes to this one.
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe.jpg"
        #expect(mkfifo(pipe, 0o600) == 0)
        let waiting = try await Program.menagerie.run(["classify", pipe])
        #expect(waiting.status == 1 && waiting.errors == "\(pipe): It is not a readable file.\n")
    }

    @Test func theAnswersForAVideoDoNotDependOnTheMachine() throws {
        let options = try VideoCommand.parse(["film.mp4", "--no-detect"]).analyser
        #expect(options == AnalyserOptions(detects: false).forFile)
        #expect(options != AnalyserOptions(detects: false))
    }

    @Test(.enabled(if: FilmMaker.isThere)) func aVideoThatStopsEarlyIsSaidToDoSo() async throws {
        let folder = try TemporaryFolder()
        let film = URL(filePath: folder.path + "/film.mkv")
        let picture = "testsrc2=size=160x120:rate=10:duration=8"
        try await FilmMaker.render(["-f", "lavfi", "-i", picture, "-c:v", "libx264"], to: film)
        let whole = try Data(contentsOf: film)
        try whole.prefix(whole.count / 2).write(to: film)
        let result = try await Program.menagerie.run(["video", film.path, "--every", "1"])
        #expect(result.status == 0)
        #expect(result.errors.contains("\(film.path): The video stops before its announced end."), "\(result.errors)")
        let script = "'\(Program.menagerie.url.path)' live '\(film.path)' >/dev/full"
        let full = try await Program(path: "/bin/sh").run(["-c", script])
        #expect(full.status == 1 && full.errors.contains("There isn’t enough space"), "\(full.errors)")
    }
}
