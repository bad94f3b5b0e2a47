import API
import Base
import Foundation
import Logging
import Menagerie
import Recognition
import Storage
import Testing
import TestSupport

/// A service with the embedded model as the default and public models beside it.
struct ServiceWithModels {
    let folder: TemporaryFolder
    let recogniser: Recogniser
    let service: LiveService
    let log: LogLines

    /// The manifest that a user would write for SqueezeNet.
    static let manifest = """
        {"licence": "Apache-2.0", "input": {"size": [224, 224], "layout": "NCHW", "channels": "RGB", "short_side": 256,
         "scale": "x/255", "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]},
         "heads": {"objects": {"labels_file": "imagenet_labels_1001.txt", "classes": 1000, "output": "prob",
                               "interpretation": "probabilities"}}}
        """

    /// - Parameters:
    ///   - memory: the bytes for all models, each counted by the size of its file. Nil means no limit.
    ///   - gate: a gate that loading a model must pass.
    ///   - detector: whether YOLOX-Nano is present.
    init(
        squeezenets names: [String], memory: Int? = nil, gate: Gate = Gate(), detector: Bool = true
    ) async throws {
        let folder = try TemporaryFolder()
        try Self.link(LiveService.package.appending(path: "Models/menagerie").path, as: "menagerie", in: folder)
        for name in names { try Self.add(name, file: "squeezenet1.1.onnx", manifest: Self.manifest, in: folder) }
        if detector { try Self.add("detector", file: "yolox_nano.onnx", manifest: nil, in: folder) }
        try folder.write(Array("not a network".utf8), "broken/1/net.onnx")
        let log = LogLines()
        let path = folder.path
        let metrics = ServiceMetrics()
        let recogniser = try await onThread {
            var options = RecogniserOptions(modelsDirectory: path, cores: 1)
            options.engine.cacheDirectory = CompiledModels.folder
            options.modelLimits.memory = memory
            options.residentMemory = {
                gate.pass()
                return 0
            }
            return try Recogniser(
                options: options,
                observer: RecognitionLog(logger: Logger(label: "models") { _ in log }, next: metrics))
        }
        self.folder = folder
        self.recogniser = recogniser
        self.log = log
        service = try await LiveService(recogniser: recogniser, metrics: metrics)
    }

    func stop() async throws {
        try await service.stop()
        let recogniser = recogniser
        try await onThread { recogniser.stop() }
    }

    private static func add(_ name: String, file: String, manifest: String?, in folder: TemporaryFolder) throws {
        if let manifest { try folder.write(Array(manifest.utf8), "\(name)/1/manifest.json") }
        let model = "\(folder.path)/\(name)/1"
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        for file in [file, "imagenet_labels_1001.txt"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(model)/\(file)",
                withDestinationPath: SharedFolder.url.appending(path: "models/third_party/\(file)").path)
        }
    }

    private static func link(_ target: String, as name: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target)
    }

    /// Runs a test on such a service and stops it.
    static func with(
        squeezenets names: [String], memory: Int? = nil, gate: Gate = Gate(), detector: Bool = true,
        _ body: (ServiceWithModels) async throws -> Void
    ) async throws {
        let all = try await ServiceWithModels(squeezenets: names, memory: memory, gate: gate, detector: detector)
        do {
            try await body(all)
        } catch {
            try? await all.stop()
            throw error
        }
        try await all.stop()
    }

    /// The representation of a model from `GET /models/{name}`.
    func model(_ name: String) async throws -> [String: any Sendable] {
        try await service.request("GET", "/models/\(name)").object()
    }
}

final class LogLines: LogHandler, Sendable {
    private let list = Locked<[String]>([])

    var lines: [String] { list.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        list.withLock { $0.append("\(event.level) \(event.message) " + values.joined(separator: " ")) }
    }
}

@Suite("Models over HTTP", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct ModelTests {
    let photo: [UInt8]

    init() throws {
        photo = [UInt8](try Data(contentsOf: LiveService.package.appending(path: "Tests/Photos/cat.jpg")))
    }

    @Test func modelsAreListedLoadedAndUnloaded() async throws {
        try await ServiceWithModels.with(squeezenets: ["small"]) { all in
            let service = all.service
            let items = try await service.request("GET", "/models").items()
            #expect(items.compactMap { $0["name"] as? String } == ["broken", "detector", "menagerie", "small"])
            #expect(items.compactMap { $0["state"] as? String } == ["broken", "unloaded", "ready", "unloaded"])
            #expect((items[0]["problem"] as? String)?.contains("net.onnx") == true, "\(items[0])")
            #expect(items[0]["problem_code"] as? String == "network", "\(items[0])")
            #expect(items[0]["input"] == nil && items[0]["bytes"] == nil)
            // The facts from the files appear without loading the model.
            #expect(items[1]["task"] as? String == "detection" && items[1]["detection"] != nil, "\(items[1])")
            #expect(items.dropFirst().allSatisfy { $0["bytes"] as? Int ?? 0 > 1_000_000 }, "\(items)")
            let small = try await all.model("small")
            #expect(small["ready"] as? Bool == false && small["licence"] as? String == "Apache-2.0")
            #expect((small["input"] as? [String: any Sendable])?["width"] as? Int == 224)
            let objects = (small["heads"] as? [String: [String: any Sendable]])?["objects"]
            #expect(objects?["classes"] as? Int == 1000, "\(small)")
            #expect(
                small["bytes"] as? Int
                    == (try FileManager.default.attributesOfItem(
                        atPath: SharedFolder.url.appending(path: "models/third_party/squeezenet1.1.onnx").path)[.size]
                        as? Int))
            #expect(items.compactMap { $0["default"] as? Bool } == [false, false, true, false])

            // A request for the model loads it.
            let answer = try await service.classify(photo, query: "save=false&model=small").object()
            #expect((answer["model"] as? [String: any Sendable])?["name"] as? String == "small")
            #expect(answer["head"] as? String == "objects")
            let model = try await all.model("small")
            #expect(model["state"] as? String == "ready" && model["licence"] as? String == "Apache-2.0")
            let input = try #require(model["input"] as? [String: any Sendable])
            #expect(input["width"] as? Int == 224 && input["layout"] as? String == "NCHW")

            let unloaded = try await service.request("POST", "/models/small/unload", body: []).object()
            #expect(unloaded["state"] as? String == "unloaded")
            let again = try await service.request("POST", "/models/small/unload", body: [])
            #expect(try again.status == 200 && again.object()["state"] as? String == "unloaded")
            #expect(try await service.request("POST", "/v2/repository/models/small/unload", body: []).status == 200)
            #expect(try await service.request("POST", "/models/nothing/unload", body: []).status == 404)
            #expect(try await service.request("POST", "/models/small/unload?version=7", body: []).status == 404)
            #expect(try await service.request("POST", "/v2/repository/models/nothing/unload", body: []).status == 404)
            #expect(try await service.classify(photo, query: "save=false&model=small").status == 200)
            #expect(try await all.model("small")["state"] as? String == "ready")
            let loaded = try await service.request("POST", "/models/small/load", body: []).object()
            #expect(loaded["state"] as? String == "ready")
            #expect(try await service.classify(photo, query: "save=false&model=small@1").status == 200)
            #expect(try await service.classify(photo, query: "save=false&model=small@2").status == 404)
            #expect(try await service.request("GET", "/models/nothing").status == 404)
            #expect(try await service.request("POST", "/models/nothing/load", body: []).status == 404)
        }
    }

    @Test func aMistypedModelIsAnsweredWithThoseThatAreNear() async throws {
        try await ServiceWithModels.with(squeezenets: ["small"]) { all in
            let service = all.service
            func near(_ method: String, _ target: String, _ body: [UInt8]? = nil) async throws -> [String]? {
                let answer = try await service.request(
                    method, target, headers: [("Content-Type", "image/jpeg")], body: body)
                #expect(answer.status == 404 && answer.text.contains("Did you mean"), "\(answer.text)")
                return try answer.object()["near"] as? [String]
            }
            #expect(try await near("POST", "/classify?model=menagrie", photo) == ["menagerie"])
            #expect(
                try await near("POST", "/classify?model=menagerie@99", photo)?.first?.hasPrefix("menagerie@") == true)
            #expect(try await near("POST", "/detect?model=detecter", photo) == ["detector"])
            #expect(try await near("GET", "/models/smal") == ["small"])
            #expect(try await near("POST", "/models/Small/load", []) == ["small"])
            #expect(try await near("PUT", "/models/default", Array(#"{"name": "smoll"}"#.utf8)) == ["small"])
            let inference = try await service.request("GET", "/v2/models/menagery")
            let told = try #require(try inference.object()["error"] as? String)
            #expect(inference.status == 404 && told.contains("menagerie"))
            let far = try await service.request("GET", "/models/zzzzzzzz").object()
            #expect(far["near"] == nil)
        }
    }

    @Test func anotherModelCanAnswerByDefault() async throws {
        try await ServiceWithModels.with(squeezenets: ["small"]) { all in
            let service = all.service
            let choice = Array(#"{"name": "small"}"#.utf8)
            let chosen = try await service.request("PUT", "/models/default", body: choice).object()
            #expect(chosen["name"] as? String == "small" && chosen["default"] as? Bool == true)
            #expect(try await all.model("default")["name"] as? String == "small")
            let answer = try await service.classify(photo).object()
            #expect((answer["model"] as? [String: any Sendable])?["name"] as? String == "small")
            #expect(try await service.request("POST", "/models/small/unload", body: []).status == 409)
            let none = Array(#"{"name": "nothing"}"#.utf8)
            #expect(try await service.request("PUT", "/models/default", body: none).status == 404)
            for wrong in [
                "{}", #"{"name": "small", "verison": "1"}"#, #"{"name": "menagerie", "name": "small"}"#,
                #"{"name": null}"#, #"{"name": "small", "version": 1}"#,
            ] {
                let refused = try await service.request("PUT", "/models/default", body: Array(wrong.utf8))
                #expect(refused.status == 400, "\(wrong)")
            }
            let unversioned = Array(#"{"name": "small", "version": null}"#.utf8)
            #expect(try await service.request("PUT", "/models/default", body: unversioned).status == 200)
            let detector = Array(#"{"name": "detector"}"#.utf8)
            let refused = try await service.request("PUT", "/models/default", body: detector)
            #expect(refused.status == 409)
            #expect(try (refused.object()["detail"] as? String)?.contains("made for detection") == true)
            #expect(try await all.model("default")["name"] as? String == "small")
        }
    }

    @Test func whileAModelLoadsEverythingElseIsAnswered() async throws {
        let gate = Gate()
        try await ServiceWithModels.with(squeezenets: ["slow"], gate: gate) { all in
            let photo = try #require(ClassifyTests.drawing)
            gate.close(forNext: 1)
            defer { gate.open() }
            let waiting = (0..<40).map { _ in
                Task { try await all.service.classify(photo, query: "save=false&model=slow").status }
            }
            try await eventually { all.recogniser.inFlight >= waiting.count && gate.waiting > 0 }
            #expect(try await all.service.request("GET", "/livez").status == 200)
            // This picture needs the detector, so the request loads it too.
            #expect(try await all.service.classify(photo).status == 200)
            #expect(try await all.service.request("GET", "/models").status == 200)
            gate.open()
            for task in waiting { #expect(try await task.value == 200) }
        }
    }

    @Test func aBrokenModelIsNamedAndTakesNothingDown() async throws {
        try await ServiceWithModels.with(squeezenets: []) { all in
            let service = all.service
            let answer = try await service.request("POST", "/models/broken/load", body: [])
            #expect(answer.status == 422 && answer.text.contains("broken"))
            #expect(try await service.classify(photo, query: "save=false&model=broken").status == 503)
            let lines = all.log.lines.filter { $0.hasPrefix("error Model cannot be served") }
            #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("model=broken") && $0.contains("reason=") })
            #expect(all.log.lines.contains { $0.hasPrefix("info Model loaded model=menagerie") })
            #expect(try await all.model("broken")["state"] as? String == "broken")
            #expect(try await service.classify(photo).status == 200)
            // The fault can be repaired without a restart.
            let whole = try Data(contentsOf: LiveService.package.appending(path: "Models/menagerie/menagerie.onnx"))
            try all.folder.write([UInt8](whole), "broken/1/net.onnx")
            #expect(try await service.request("POST", "/models/broken/load", body: []).status == 200)
        }
    }

    @Test func beyondTheBoundTheLeastRecentlyUsedModelMakesRoom() async throws {
        // All networks of the cascade count.
        let own = try ["menagerie.onnx", "second.onnx", "cats.onnx", "dogs.onnx"].reduce(0) { sum, file in
            let weights = LiveService.package.appending(path: "Models/menagerie/\(file)")
            return sum + (try #require(try weights.resourceValues(forKeys: [.fileSizeKey]).fileSize))
        }
        let small = 4_947_414
        try await ServiceWithModels.with(squeezenets: ["a", "b", "c"], memory: own + small * 2) { all in
            func ask(_ name: String) async throws {
                #expect(try await all.service.classify(photo, query: "save=false&model=\(name)").status == 200)
            }
            func ready() async throws -> [String] {
                try await all.service.request("GET", "/models").items().filter { $0["ready"] as? Bool == true }
                    .compactMap { $0["name"] as? String }
            }
            for name in ["a", "b", "a", "c"] { try await ask(name) }
            #expect(try await ready() == ["a", "c", "menagerie"])
            try await ask("b")
            #expect(try await ready() == ["b", "c", "menagerie"])
            #expect(
                all.log.lines.filter { $0.contains("unloaded") } == [
                    "info Model unloaded model=b@1", "info Model unloaded model=a@1",
                ])
        }
    }

    @Test func whatAModelDoesIsMeasuredUnderItsName() async throws {
        try await ServiceWithModels.with(squeezenets: ["small"]) { all in
            // The request names a head, so an unsure answer does not ask the detector for a person.
            for model in ["menagerie&heads=cats", "small", "small"] {
                #expect(try await all.service.classify(photo, query: "save=false&model=\(model)").status == 200)
            }
            let found = try await all.service.request(
                "POST", "/detect?tiles=2&threshold=1", headers: [("Content-Type", "image/jpeg")], body: photo)
            #expect(found.status == 200)
            let metrics = try await all.service.request("GET", "/metrics").text
            // A whole photo waits once, for a lane that decodes and answers. A photo in tiles waits for decoding and
            // for each tile. The classifier checks the one place that may be an animal.
            for (model, answers, waits) in [("menagerie", 2, 2), ("small", 2, 2), ("detector", 5, 6)] {
                for (name, count) in [("inference_seconds", answers), ("queue_seconds", waits)] {
                    let line = "menagerie_\(name)_count{model=\"\(model)\"} \(count)\n"
                    #expect(metrics.contains(line), "\(line)")
                }
                #expect(metrics.contains("menagerie_queue_depth{model=\"\(model)\"} "))
            }
            #expect(!metrics.contains("model=\"broken\""))
            #expect(metrics.contains("menagerie_photos_searched_total 1\n"))
        }
    }

    @Test func aDetectorSaysThatItIsNoClassifier() async throws {
        try await ServiceWithModels.with(squeezenets: []) { all in
            let answer = try await all.service.classify(photo, query: "save=false&model=detector")
            #expect(answer.status == 409 && answer.text.contains("detection"))
        }
    }
}
