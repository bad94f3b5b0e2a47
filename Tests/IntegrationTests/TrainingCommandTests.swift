import Foundation
import TestSupport
import Testing

/// `menagerie train` and `menagerie evaluate` of the built program.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TrainingCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try CompiledModels.share(with: folder.path + "/data")
    }

    /// Writes photos into folders named by their classes.
    private func write(_ files: [(String, [UInt8])], to name: String) throws -> String {
        for (file, bytes) in files {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)/\(file.prefix { $0 != "/" })", withIntermediateDirectories: true)
            try folder.write(bytes, "\(name)/\(file)")
        }
        return "\(folder.path)/\(name)"
    }

    private var settings: [String] { ["--data-dir", folder.path + "/data", "--log-level", "error"] }

    private func menagerie(_ arguments: String...) async throws -> Program.Result {
        try await Program.menagerie.run(arguments + settings)
    }

    /// Runs the program on a terminal, where it draws progress. Both outputs are merged.
    private func inTerminal(_ arguments: String...) async throws -> Program.Result {
        let command = ([Program.menagerie.url.path] + arguments + settings).map { "'\($0)'" }.joined(separator: " ")
        return try await Program(path: "/usr/bin/script").run(
            ["--quiet", "--return", "--command", command, "/dev/null"])
    }

    @Test func storedFeaturesKeepToTheirLimit() async throws {
        let photos = try write(Pictures.files(count: 3), to: "photos")
        let trained = try await menagerie("train", photos, "--name", "shapes", "--set", "training.feature_cache_mb=0")
        #expect(trained.status == 0, "\(trained.errors)")
        let stored = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/data/training/features")
        #expect(!stored.isEmpty && stored.allSatisfy { !$0.contains("/") }, "\(stored)")
    }

    @Test func aFolderOfModelsThatCannotBeWrittenIsNoticedFirst() async throws {
        let photos = try write(Pictures.files(count: 3), to: "photos")
        try folder.write([1], "data/models")
        let trained = try await menagerie("train", photos, "--name", "shapes")
        #expect(trained.status == 1 && trained.output.isEmpty, "\(trained.output)")
        #expect(trained.errors.contains("\(folder.path)/data/models"), "\(trained.errors)")
    }

    @Test func twoVersionsAreTrainedAndCompared() async throws {
        let photos = Pictures.files(count: 8)
        let turned = try write(Pictures.turned(photos), to: "turned")
        let right = try write(photos + [("disc/broken.jpg", Array("no photo".utf8))], to: "photos")

        let first = try await menagerie("train", turned, "--name", "shapes", "--deploy")
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.hasPrefix("2 classes, 16 photos\niteration   1  loss "), "\(first.output)")
        #expect(!first.output.contains("files left out") && !first.errors.contains("["), "\(first.errors)")
        #expect(first.output.contains("\n# shapes\n") && first.output.contains("\n| accuracy | 100.0 %"))
        #expect(first.output.contains("\n| disc | 8 |"), "\(first.output)")
        #expect(
            first.output.hasSuffix("shapes@1 lies in \(folder.path)/data/models/shapes/1 and answers for its name.\n"))

        let second = try await inTerminal("train", right, "--name", "shapes")
        #expect(second.status == 0, "\(second.output)")
        #expect(second.output.contains(" 100 % ") && second.output.contains("[####################]"))
        #expect(second.output.contains("1 file left out"), "\(second.output)")
        #expect(second.output.contains("shapes@2 lies in "), "\(second.output)")

        let strangers = try write(
            (0..<6).flatMap {
                [
                    ("disc/\($0).bmp", Pictures.disc(seed: 5_000 + $0)),
                    ("stripes/\($0).bmp", Pictures.stripes(seed: 6_000 + $0)),
                ]
            }, to: "strangers")
        let out = folder.path + "/out"
        // An earlier file stays whole until the new one takes its place.
        try folder.write(Array("earlier".utf8), "out/evaluation.json")
        let earlier = folder.path + "/earlier.json"
        try FileManager.default.linkItem(atPath: out + "/evaluation.json", toPath: earlier)
        let compared = try await inTerminal(
            "evaluate", "--photos", strangers, "--model", "shapes@2", "--against", "shapes", "--out", out)
        #expect(compared.status == 0, "\(compared.output)")
        #expect(compared.output.contains("[####################] 100 % 12/12 photos"), "\(compared.output)")
        for line in [
            "12 photos of 2 classes, 0 files left out.", "| shapes@2 | classes | 12 | 100.0 % |",
            "| shapes@1 | classes | 0 | 0.0 % |", "| shapes@2 right | 0 | 12 |", "| shapes@2 wrong | 0 | 0 |",
            "shapes@2 is better than shapes@1: +100.0 points",
        ] {
            #expect(compared.output.contains(line), "\(line): \(compared.output)")
        }
        let table = try String(contentsOfFile: out + "/evaluation.md", encoding: .utf8)
        #expect(table.contains("shapes@2 is better than shapes@1"))
        let data = try Data(contentsOf: URL(filePath: out + "/evaluation.json"))
        let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect((json["difference"] as? [String: Any])?["verdict"] as? String == "better", "\(json)")
        #expect(try String(contentsOfFile: earlier, encoding: .utf8) == "earlier")

        // The model learnt from these photos, so they count for nothing.
        let known = try await menagerie("evaluate", "--photos", turned, "--model", "shapes@1")
        #expect(known.status == 0 && known.output.contains("shapes@1 learnt from it"), "\(known.output)")
    }

    @Test func whatCannotBeDoneEndsWithAWordAndAStatus() async throws {
        let photos = try write(Pictures.files(count: 2), to: "photos")
        let broken = try write([("a/1.jpg", [1]), ("b/1.jpg", [2])], to: "broken")
        // 64 means a fault in the command line (sysexits.h, EX_USAGE). 1 means any other failure.
        let cases: [([String], Int32, String)] = [
            (["train", photos, "--name", "No Name"], 64, "A model's name is made of"),
            (["train", photos, "--name", "x", "--validation", "0.9"], 64, "--validation has to be from 0 to 0.5"),
            (["train", photos, "--name", "x", "--augment", "turn"], 64, "--augment has to be none"),
            (["train", photos], 64, "--name"),
            (["train", photos, "--name", "menagerie"], 1, "belongs to a model that was not trained here"),
            (["train", photos, "--name", "x", "--base", "nobody"], 1, "nobody"),
            (["train", broken, "--name", "x"], 1, "one"),
            (["train", folder.path + "/nowhere", "--name", "x"], 1, "nowhere"),
            (["evaluate", "--photos", photos, "--model", "nobody"], 1, "nobody"),
            (["evaluate", "--photos", photos], 1, "knows none of the classes"),
            (["evaluate", "--photos", photos, "--against", "menagerie"], 1, "Both are menagerie@"),
            (["evaluate", "--photos", photos, "--where", "split=test"], 64, "choose from a list"),
        ]
        for (arguments, status, words) in cases {
            let result = try await Program.menagerie.run(arguments + settings)
            #expect(result.status == status && result.errors.contains(words), "\(arguments): \(result)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/models/x"))
    }
}
