import API
import Foundation
import Security
import TestSupport
import Testing

@testable import ModelImport

/// `POST /models` tries an uploaded model in a helper before it is installed. `DELETE /models/{name}` removes it.
@Suite("Models that are sent", .timeLimit(.minutes(5))) struct ModelUploadTests {
    private static let form = [("Content-Type", "multipart/form-data; boundary=b")]

    /// A classifier with three classes, the mean of each channel.
    static let network: [UInt8] = {
        var graph = ONNXGraph()
        let (x, y) = (graph.uniqueName("x"), graph.uniqueName("y"))
        let means = graph.node("GlobalAveragePool", [x], outputs: ["means"])
        graph.bind(graph.node("Flatten", means, outputs: ["flat"], attributes: ["axis": .integer(1)])[0], to: y)
        graph.inputs = [ONNXGraph.Value(name: x, shape: [1, 3, 8, 8], isBatchFree: false)]
        graph.outputs = [ONNXGraph.Value(name: y, shape: [1, 3], isBatchFree: false)]
        return graph.serialized(name: "means")
    }()

    private static func body(_ files: [(String, [UInt8])]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, bytes) in files {
            body += Array(
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n".utf8)
            body += bytes + Array("\r\n".utf8)
        }
        return body + Array("--b--\r\n".utf8)
    }

    private func service(in folder: TemporaryFolder) throws -> ServiceProcess {
        try ServiceProcess(["recognition.trial_s": "30", "recognition.trial_memory_mb": "1024"], in: folder)
    }

    private func send(
        _ files: [(String, [UInt8])], _ query: String = "", to service: ServiceProcess
    ) async throws -> RawResponse {
        try await service.request("POST", "/models\(query)", headers: Self.form, body: Self.body(files))
    }

    /// The files in the data directory's folder of models, including unfinished ones.
    private func files(_ service: ServiceProcess) throws -> [String] {
        let all = try? FileManager.default.subpathsOfDirectory(atPath: service.dataDirectory + "/models")
        return (all ?? []).filter { $0 != ".upload" }.sorted()
    }

    @Test func aModelIsSentAnswersAndIsTakenAway() async throws {
        let folder = try TemporaryFolder()
        let service = try service(in: folder)
        // The list of labels may have any name.
        let labels = ("The Colours.txt", Array("red\ngreen\nblue\n".utf8))
        let made = try await send([("My Net.onnx", Self.network), labels], to: service)
        #expect(made.status == 201 && made.headers["location"] == "/models/my_net", "\(made.text)")
        let model = try made.object()
        #expect(model["version"] as? String == "1" && model["state"] as? String == "unloaded")
        #expect((model["notes"] as? [String])?.isEmpty == false, "what was assumed is told")
        #expect(
            try files(service) == [
                "my_net", "my_net/1", "my_net/1/My_Net.onnx", "my_net/1/labels.txt", "my_net/1/manifest.json",
            ])
        let photo = [UInt8](try Data(contentsOf: LiveService.package.appending(path: "Tests/Photos/cat.jpg")))
        let answer = try await service.request(
            "POST", "/classify?model=my_net&save=false", headers: [("Content-Type", "image/jpeg")], body: photo)
        #expect(answer.status == 200 && answer.text.contains("green"), "\(answer.text)")

        let again = try await send([("my_net.onnx", Self.network)], to: service)
        #expect(again.status == 409 && again.text.contains("/problems/model-exists"), "\(again.text)")
        let second = try await send([("my_net.onnx", Self.network), labels], "?version=2", to: service)
        #expect(second.status == 201, "\(second.text)")
        #expect(try await service.request("POST", "/models/my_net/load").status == 200)
        #expect(try await service.request("DELETE", "/models/my_net?version=2").status == 204)
        // The version that is left answers.
        let older = try await service.request(
            "POST", "/classify?model=my_net&save=false", headers: [("Content-Type", "image/jpeg")], body: photo)
        #expect(older.status == 200 && older.text.contains(#""version":"1""#), "\(older.text)")
        #expect(try await service.request("GET", "/models/my_net?version=2").status == 404)
        #expect(try await service.request("DELETE", "/models/my_net").status == 204)
        #expect(try await service.request("GET", "/models/my_net").status == 404)
        #expect(try files(service) == [])
        // The only version takes the folder along.
        #expect(try await send([("my_net.onnx", Self.network), labels], to: service).status == 201)
        #expect(try await service.request("DELETE", "/models/my_net?version=1").status == 204)
        #expect(try files(service) == [])
        // The operator's own models stay.
        for name in ["menagerie", "menagerie_boxes"] {
            #expect(try await service.request("DELETE", "/models/\(name)").status == 409)
        }
        #expect(try await service.request("DELETE", "/models/unicorn").status == 404)
        try await service.kill()
    }

    @Test func notesAreChangedWhileTheModelAnswers() async throws {
        let folder = try TemporaryFolder()
        let service = try service(in: folder)
        #expect(try await send([("my_net.onnx", Self.network)], to: service).status == 201)
        #expect(try await service.request("POST", "/models/my_net/load").status == 200)
        func annotate(_ model: String, _ body: String) async throws -> RawResponse {
            try await service.request(
                "PATCH", "/models/\(model)", headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        let changed = try await annotate("my_net", #"{"notes": ["Colours are BGR.", "Ask Anna."]}"#)
        #expect(changed.status == 200, "\(changed.text)")
        for model in [try changed.object(), try await service.request("GET", "/models/my_net").object()] {
            #expect(model["notes"] as? [String] == ["Colours are BGR.", "Ask Anna."])
            #expect(model["state"] as? String == "ready")
        }
        #expect(try await service.request("POST", "/models/my_net/unload").status == 200)
        #expect(try await service.request("POST", "/models/my_net/load").status == 200, "the manifest is still whole")
        #expect(try await annotate("my_net", #"{"notes": []}"#).object()["notes"] as? [String] == [])
        for body in ["", "{}", #"{"notes": "x"}"#, #"{"notes": [""]}"#, #"{"notes": [null]}"#] {
            #expect(try await annotate("my_net", body).status == 400, "\(body)")
        }
        #expect(try await annotate("my_net?version=2", #"{"notes": []}"#).status == 404)
        #expect(try await annotate("menagerie", #"{"notes": []}"#).status == 409)
        try await service.kill()
    }

    @Test func aManifestIsTakenAtItsWord() async throws {
        let folder = try TemporaryFolder()
        let service = try service(in: folder)
        let manifest = """
            {"name": "colours", "version": "3.1", "licence": "CC0-1.0", "input": {"size": [8, 8], "layout": "NCHW",
             "channels": "RGB", "scale": "x/255"}, "heads": {"colour": {"labels": ["r", "g", "b"], "output": "y"}}}
            """
        let made = try await send([("net.onnx", Self.network), ("about.json", Array(manifest.utf8))], to: service)
        #expect(made.status == 201, "\(made.text)")
        let model = try made.object()
        #expect(model["name"] as? String == "colours" && model["version"] as? String == "3.1")
        #expect(model["licence"] as? String == "CC0-1.0")
        let other = try await send(
            [("net.onnx", Self.network), ("manifest.json", Array(manifest.utf8))], "?name=shades", to: service)
        #expect(other.status == 422 && other.text.contains("calls itself"), "\(other.text)")
        // The folder of a refused upload may go just after the answer.
        try await eventually { try files(service).allSatisfy { $0.hasPrefix("colours") } }
        try await service.kill()
    }

    @Test func whatIsNoModelLeavesNothingBehind() async throws {
        let folder = try TemporaryFolder()
        let service = try service(in: folder)
        let net = Self.network
        let outside = """
            {"input": {"size": [8, 8], "layout": "NCHW", "channels": "RGB"},
             "heads": {"h": {"labels_file": "../../keys.json"}}}
            """
        let link = #"{"file":"../../../etc/passwd"}"#
        let wrong: [(String, [(String, [UInt8])], Int)] = [
            ("", [], 400), ("", [("labels.txt", Array("a\nb".utf8))], 400),
            ("?name=..", [("net.onnx", net)], 400), ("?name=A", [("net.onnx", net)], 400),
            ("?name=x%2Fy", [("net.onnx", net)], 400), ("?version=..", [("net.onnx", net)], 400),
            ("?version=.hidden", [("net.onnx", net)], 400), ("?owner=me", [("net.onnx", net)], 400),
            ("", [("", net)], 400),
            ("", [("../net.onnx", net)], 400), ("", [(".onnx", net)], 400), ("", [("a\\\\b.onnx", net)], 400),
            ("", [("net.onnx", net), ("net.onnx", net)], 400),
            ("", [("net.onnx", net), ("deployment.json", Array("{}".utf8))], 400),
            ("", (0..<9).map { ("\($0).onnx", net) }, 400), ("", [("a.onnx", net), ("b.onnx", net)], 400),
            ("?name=menagerie&version=99", [("net.onnx", net)], 409),
            ("", [("net.onnx", Array("This is no network.".utf8))], 422), ("", [("net.onnx", [])], 422),
            ("?name=a", [("net.onnx", net), ("manifest.json", Array("{".utf8))], 422),
            ("?name=a", [("net.onnx", net), ("manifest.json", Array("[]".utf8))], 422),
            ("?name=a", [("net.onnx", net), ("manifest.json", Array(#"{"input": 5}"#.utf8))], 422),
            ("?name=a", [("net.onnx", net), ("manifest.json", Array(outside.utf8))], 422),
            ("?name=a", [("net.onnx", net), ("manifest.json", Array(link.utf8))], 422),
        ]
        for (query, files, status) in wrong {
            let answer = try await send(files, query, to: service)
            #expect(answer.status == status, "\(query) \(files.map(\.0)): \(answer.text)")
            #expect(!answer.text.contains(folder.path), "\(answer.text)")
            #expect(!answer.text.contains("DecodingError"), "\(answer.text)")
        }
        let plain = try await service.request(
            "POST", "/models", headers: [("Content-Type", "application/octet-stream")], body: net)
        #expect(plain.status == 415, "\(plain.text)")
        let cut = try await service.request(
            "POST", "/models", headers: Self.form, body: Self.body([("net.onnx", net)]).dropLast(12))
        #expect(cut.status == 400, "\(cut.text)")
        try await eventually { try files(service) == [] }
        #expect(try await service.request("GET", "/models").items().count == 2)
        try await service.kill()
    }

    @Test func whatTakesAllMemoryIsRefusedWhereItIsTried() async throws {
        let folder = try TemporaryFolder()
        let service = try service(in: folder)
        var graph = ONNXGraph()
        let (x, y) = (graph.uniqueName("x"), graph.uniqueName("y"))
        _ = graph.constant(ONNXTensor([1, 1, 8000, 8000]), named: "times")
        let big = graph.node("Tile", [x, "times"], outputs: ["big"])
        let means = graph.node("GlobalAveragePool", big, outputs: ["means"])
        graph.bind(graph.node("Flatten", means, outputs: ["flat"], attributes: ["axis": .integer(1)])[0], to: y)
        graph.inputs = [ONNXGraph.Value(name: x, shape: [1, 3, 8, 8], isBatchFree: false)]
        graph.outputs = [ONNXGraph.Value(name: y, shape: [1, 3], isBatchFree: false)]
        let answer = try await send([("net.onnx", graph.serialized(name: "harm"))], to: service)
        #expect(answer.status == 422 && answer.text.contains("/problems/broken-model"), "\(answer.text)")
        #expect(try await service.request("GET", "/livez").status == 200)
        #expect(try files(service) == [])
        try await service.kill()
    }

    /// OpenVINO's files are recognised by their first part. A new second part leads to a new trial.
    @Test func aModelThatIsKnownIsTriedAnew() async throws {
        let folder = try TemporaryFolder()
        let service = try service(in: folder)
        func trials() async throws -> Int {
            let line = try await service.request("GET", "/metrics").text.split(separator: "\n")
                .first { $0.contains("model_trials_total{outcome=\"passed\"}") }
            return line.flatMap { $0.split(separator: " ").last.flatMap { Int($0) } } ?? 0
        }
        #expect(try await send([("net.onnx", Self.network)], "?name=one", to: service).status == 201)
        let before = try await trials()
        #expect(try await send([("net.onnx", Self.network)], "?name=two", to: service).status == 201)
        #expect(try await trials() == before + 2, "it is looked into, and loaded")
        try await service.kill()
    }

    @Test func onlyAdministratorsSendAndRemove() async throws {
        try await withKeys { (locked: LockedService) async throws in
            for role in [Role.reader, .user] {
                for (method, path) in [("POST", "/models"), ("DELETE", "/models/menagerie")] {
                    let answer = try await locked.request(
                        method, path, key: locked.keys[role], headers: Self.form,
                        body: Self.body([("net.onnx", Self.network)]))
                    #expect(answer.status == 403, "\(role) \(method): \(answer.text)")
                }
            }
            let stranger = try await locked.request(
                "POST", "/models", headers: Self.form, body: Self.body([("net.onnx", Self.network)]))
            #expect(stranger.status == 401, "\(stranger.text)")
        }
    }
}
