import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

@Suite("Model repository") struct ModelRepositoryTests {
    /// A temporary folder with a changed copy of the repository's manifest and the real weights.
    func folder(_ change: (inout [String: Any]) -> Void) throws -> String {
        let root = FileManager.default.temporaryDirectory.appending(path: "menagerie-\(UUID().uuidString)").path
        let model = root + "/menagerie"
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        let own = TestModels.directory + "/menagerie"
        for file in ["menagerie.onnx", "second.onnx", "cats.onnx", "dogs.onnx"] {
            try FileManager.default.createSymbolicLink(
                atPath: model + "/" + file, withDestinationPath: own + "/" + file)
        }
        let data = try Data(contentsOf: URL(filePath: own + "/manifest.json"))
        var manifest = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        change(&manifest)
        try JSONSerialization.data(withJSONObject: manifest).write(to: URL(filePath: model + "/manifest.json"))
        return root
    }

    @Test func `versions have one order, whatever their parts are`() {
        let ordered = ["1", "1.0", "1.0.9", "1.0.10", "1.rc1", "2", "10", "1a", "beta"]
        for (first, version) in ordered.enumerated() {
            for (second, other) in ordered.enumerated() {
                #expect(ModelReference.isEarlier(version, other) == (first < second), "\(version) and \(other)")
            }
        }
    }

    func failure(_ change: (inout [String: Any]) -> Void) throws -> String {
        let root = try folder(change)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let repository = ModelRepository(root: root, engineOptions: EngineOptions(lanes: 1))
        let error = #expect(throws: RecognitionError.self) { try repository.load("menagerie") }
        #expect(repository.readyModels.isEmpty)
        return error?.description ?? ""
    }

    /// The last version of a trained model takes its deployment along. Reading the file twice would end the process.
    @Test func `a deployment that comes and goes is there or not`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/m", withIntermediateDirectories: false)
        let file = URL(filePath: "\(folder.path)/m/\(ModelDeployment.file)")
        let deployment = try JSONEncoder().encode(ModelDeployment())
        let store = ModelStore(root: folder.path)
        let isOver = Locked(false)
        async let changes: Void = onThread {
            while !isOver.withLock({ $0 }) {
                try deployment.write(to: file)
                try FileManager.default.removeItem(at: file)
            }
        }
        let (found, missed) = try await onThread {
            defer { isOver.withLock { $0 = true } }
            var (found, missed) = (0, 0)
            let end = ContinuousClock.now + .seconds(30)
            while found < 100 || missed < 100, .now < end {
                if store.deployment(of: "m") == nil { missed += 1 } else { found += 1 }
            }
            return (found, missed)
        }
        try await changes
        #expect(found >= 100 && missed >= 100)
    }

    @Test func `our own model is sound`() throws {
        let manifest = try TestModels.manifest()
        try manifest.validate()
        // The breeds, and the background class that is never answered.
        #expect(manifest.heads["cats"]?.labels.count == 21 && manifest.heads["cats"]?.background == 20)
        #expect(manifest.heads["dogs"]?.labels.count == 121 && manifest.heads["dogs"]?.background == 120)
        #expect(manifest.heads["zoo"]?.labels.count == 60)
    }

    @Test func `errors name the fault`() throws {
        #expect(try failure { $0["sha256"] = "00" }.contains("SHA-256"))
        #expect(try failure { $0["file"] = "../secret" }.contains("\"file\""))
        #expect(try failure { $0["file"] = "absent.onnx" }.contains("cannot be read"))
        #expect(
            try failure {
                var cascade = $0["cascade"] as? [String: Any]
                cascade?["sha256"] = "00"
                $0["cascade"] = cascade
            }.contains("second.onnx has SHA-256"))
        #expect(try failure { $0["name"] = "other" }.contains("calls itself"))
        #expect(try failure { $0.removeValue(forKey: "input") }.contains("input"))
        #expect(
            try failure {
                var heads = $0["heads"] as? [String: Any]
                heads?["fruit"] = ["apple", "none"]
                $0["heads"] = heads
            }.contains("6 values, its head 2 labels"))
        #expect(
            try failure {
                var calibration = $0["calibration"] as? [String: [String: Any]]
                calibration?["cats"]?["abstain_below"] = 35
                $0["calibration"] = calibration
            }.contains("0…1"))
    }

    @Test(arguments: [
        ("words", "{}"), ("together", #"{"things": {"own": 0, "score": 0, "objects": 0, "unmapped": 0}, "words": {}}"#),
        ("closer", #"{"things": {"own": 0, "score": 0, "objects": 0, "unmapped": 0}, "words": {}}"#),
        ("floors", #"{"detector": 0, "kinds": 1, "zoo": 1, "objects": 1}"#),
    ])
    func `regions that name nothing are refused`(key: String, value: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(value.utf8))
        #expect(
            try failure {
                var regions = $0["regions"] as? [String: Any]
                regions?[key] = value
                $0["regions"] = regions
            }.contains("\"regions.\(key)"))
    }

    @Test func `a short side that makes the other one endless is refused`() throws {
        let message = try failure {
            var input = $0["input"] as? [String: Any]
            input?["size"] = [4096, 1]
            input?["short_side"] = 8192
            $0["input"] = input
        }
        #expect(message.contains("input.short_side"))
    }

    @Test func `a broken model leaves its predecessor in service`() async throws {
        let root = try folder { _ in }
        defer { try? FileManager.default.removeItem(atPath: root) }
        let repository = ModelRepository(root: root, engineOptions: EngineOptions(lanes: 1))
        try repository.load("menagerie")
        try Data("{".utf8).write(to: URL(filePath: root + "/menagerie/manifest.json"))
        #expect(throws: RecognitionError.self) { try repository.load("menagerie") }
        #expect(throws: RecognitionError.self) { try repository.load("absent") }
        #expect(repository.readyModels == ["menagerie"])
        let model = try repository.model("menagerie")
        _ = try await model.line.submit(
            [UInt8](repeating: 0, count: model.manifest.input.width * model.manifest.input.height * 3))
        #expect(throws: RecognitionError.unknownModel("absent")) { try repository.model("absent") }
        repository.stop()
        #expect(repository.readyModels.isEmpty)
    }

    @Test(arguments: [
        ("x", Float(1), Float(0)), ("x/255", 255, 0), ("x/127.5-1", 127.5, 1), ("x / 128 - 0.5", 128, 0.5),
    ])
    func `scales are read`(text: String, divisor: Float, shift: Float) throws {
        let terms = try #require(ModelManifest.Input.terms(of: text))
        #expect(terms.divisor == divisor && terms.shift == shift)
    }

    @Test(arguments: ["", "y", "x*2", "x/0", "x/-1", "x/1-", "x/a"])
    func `other scales are refused`(text: String) {
        #expect(ModelManifest.Input.terms(of: text) == nil)
    }

    @Test(arguments: ["apple\npear\n\nplum\n", "apple\r\npear\r\n\r\nplum\r\n", "\u{FEFF}apple \rpear\r\r\tplum"])
    func `labels are read by lines, whatever ends these`(text: String) throws {
        let path = NSTemporaryDirectory() + "labels-\(UUID()).txt"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(LabelsFile.read(path) == ["apple", "pear", "", "plum"])
    }

    @Test("ImageNet's labels are the embedded model's, by number")
    func imageNetLabels() throws {
        let labels = try #require(try TestModels.manifest().heads["objects"]?.labels)
        let common =
            "horse cow giraffe deer donkey rhinoceros kangaroo dolphin raccoon octopus pigeon turkey duck okapi gerenuk "
            + "caracal ocelot clouded_leopard seahorse"
        #expect(labels == ImageNetLabels.all + common.split(separator: " ").map(String.init))
        #expect(ImageNetLabels.of(count: 1001)?.dropFirst().elementsEqual(ImageNetLabels.all) == true)
        #expect(ImageNetLabels.of(count: 1001)?.first.map(LabelsFile.isBackground) == true)
        #expect(ImageNetLabels.of(count: 999) == nil)
    }
}
