import Foundation
import Glibc
import TestSupport
import Testing

@testable import ModelImport

/// Hostile models in the folder of a service. They run in a helper process.
@Suite("Models of strangers", .timeLimit(.minutes(10))) struct ModelAttackTests {
    /// A valid network: the mean of each channel times a matrix. A harmful part is added to it.
    private static func network(
        input: [Int] = [1, 3, 8, 8], constants: [(String, [Int])] = [],
        _ harm: (inout ONNXGraph) -> String? = { _ in nil }
    ) -> [UInt8] {
        var graph = ONNXGraph()
        let (x, y) = (graph.uniqueName("x"), graph.uniqueName("y"))
        for (name, values) in constants {
            _ = graph.constant(ONNXTensor(values), named: name)
        }
        let means = graph.node("GlobalAveragePool", [x], outputs: ["means"])
        var flat = graph.node("Flatten", means, outputs: ["flat"], attributes: ["axis": .integer(1)])[0]
        if let harmful = harm(&graph) { flat = graph.node("Add", [flat, harmful], outputs: ["sum"])[0] }
        graph.bind(flat, to: y)
        graph.inputs = [ONNXGraph.Value(name: x, shape: input, isBatchFree: false)]
        graph.outputs = [ONNXGraph.Value(name: y, shape: [1, 3], isBatchFree: false)]
        return graph.serialized(name: "harm")
    }

    private static let keepNone: [String: ONNXAttribute] = ["keepdims": .integer(0)]

    /// The harmful files, each with a word that its refusal must contain.
    private static let harmful: [(name: String, file: [UInt8], reason: String)] = [
        (
            "tile",
            network(constants: [("times", [1, 1, 8000, 8000])]) { graph in
                let big = graph.node("Tile", ["x", "times"], outputs: ["big"])
                return graph.node("ReduceMax", big, outputs: ["most"], attributes: keepNone)[0]
            }, "alloc|MiB of memory"
        ),
        (
            "constant",
            network(constants: [("shape", [60_000, 60_000])]) { graph in
                let big = graph.node("ConstantOfShape", ["shape"], outputs: ["big"])
                let mean = graph.node("ReduceMean", ["x"], outputs: ["mean"], attributes: keepNone)
                let sum = graph.node("Add", [big[0], mean[0]], outputs: ["bigger"])
                return graph.node("ReduceMax", sum, outputs: ["most"], attributes: keepNone)[0]
            }, "alloc|MiB of memory"
        ),
        ("input", network(input: [1, 3, 50_000, 50_000]), "at most 536870912 elements"),
        (
            "deep",
            network { graph in
                var value = "x"
                for _ in 0..<30_000 { value = graph.node("Sin", [value], outputs: ["v"])[0] }
                return graph.node("ReduceMax", [value], outputs: ["most"], attributes: keepNone)[0]
            }, "at most 20000"
        ),
        ("junk", Array("This is no network.".utf8), "cannot be read"),
    ]

    /// Multiplies matrices for minutes while it uses little memory.
    private static let slow = network(constants: [("shape", [2048, 2048])]) { graph in
        let mean = graph.node("ReduceMean", ["x"], outputs: ["mean"], attributes: keepNone)
        var value = graph.node("Expand", [mean[0], "shape"], outputs: ["square"])[0]
        for _ in 0..<4000 {
            let product = graph.node("MatMul", [value, value], outputs: ["product"])
            value = graph.node("Tanh", product, outputs: ["tanh"])[0]
        }
        return graph.node("ReduceMax", [value], outputs: ["most"], attributes: keepNone)[0]
    }

    private func folder(_ models: [(String, [UInt8])]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/models", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/models/menagerie",
            withDestinationPath: LiveService.package.appending(path: "Models/menagerie").path)
        for (name, file) in models { try folder.write(file, "models/\(name)/net.onnx") }
        return folder
    }

    private func service(in folder: TemporaryFolder, seconds: Int = 60) throws -> ServiceProcess {
        try ServiceProcess(
            [
                "recognition.models_directory": folder.path + "/models", "recognition.trial_memory_mb": "1024",
                "recognition.trial_s": "\(seconds)",
            ], in: folder)
    }

    private func trials(_ service: ServiceProcess, _ outcome: String) async throws -> Int {
        let metrics = try await service.request("GET", "/metrics").text
        let line = metrics.split(separator: "\n").first { $0.contains("model_trials_total{outcome=\"\(outcome)\"}") }
        return line.flatMap { $0.split(separator: " ").last.flatMap { Int($0) } } ?? 0
    }

    /// The peak memory of the process in MiB.
    private func peak(_ service: ServiceProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.identifier)/status", encoding: .utf8)
        let match = try #require(status.firstMatch(of: #/VmHWM:\s+(\d+)/#))
        return try #require(Int(match.1)) >> 10
    }

    @Test func whatTakesAllMemoryIsRefusedAndTheServiceStaysSmall() async throws {
        let folder = try folder(Self.harmful.map { ($0.name, $0.file) } + [("good", Self.network())])
        let service = try service(in: folder)
        let before = try await { () async throws in
            _ = try await service.port()
            return try peak(service)
        }()
        for (name, _, reason) in Self.harmful {
            let answer = try await service.request("POST", "/models/\(name)/load")
            #expect(answer.status == 422, "\(name): \(answer.text)")
            #expect(answer.text.firstMatch(of: try Regex(reason)) != nil, "\(name): \(answer.text)")
        }
        #expect(try await service.request("GET", "/models").status == 200)
        #expect(try await service.request("POST", "/models/good/load").status == 200)
        #expect(try peak(service) < before + 200)
        #expect(try await trials(service, "refused") + trials(service, "memory") >= Self.harmful.count)
        try await service.kill()
    }

    @Test func whatPassedIsNotTriedAgain() async throws {
        let folder = try folder([("good", Self.network())])
        try folder.write(
            Array(
                #"{"input": {"layout": "NCHW", "size": [8, 8], "channels": "RGB"}, "heads": {"y": ["a", "b", "c"]}}"#
                    .utf8),
            "models/good/manifest.json")
        let first = try service(in: folder)
        #expect(try await first.request("POST", "/models/good/load").status == 200)
        #expect(try await first.request("POST", "/models/good/load").status == 200)
        let tried = try FileManager.default.contentsOfDirectory(atPath: first.dataDirectory + "/tried")
        #expect(tried.count == 1)
        try await first.kill()
    }

    @Test func aModelThatTakesForEverIsGivenUp() async throws {
        let service = try service(in: try folder([("slow", Self.slow)]), seconds: 5)
        let answer = try await service.request("POST", "/models/slow/load")
        #expect(answer.status == 422 && answer.text.contains("more than 5 s"), "\(answer.text)")
        #expect(try await trials(service, "time") >= 1)
        try await service.kill()
    }

    @Test func whoLeavesEndsTheTrial() async throws {
        let service = try service(in: try folder([("slow", Self.slow)]), seconds: 600)
        let port = try await service.port()
        let client = try await openClient(
            port, sending: "POST /models/slow/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        let helpers = "/proc/\(service.identifier)/task/"
        func hasHelper() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: helpers).contains { thread in
                let children = try? String(contentsOfFile: helpers + thread + "/children", encoding: .utf8)
                return children?.isEmpty == false
            }
        }
        try await eventually { try hasHelper() }
        client.reset()
        try await eventually { try !hasHelper() }
        try await eventually { try await trials(service, "cancelled") == 1 }
        try await service.kill()
    }

    /// Code that takes over the helper must not read the history, keys or passwords.
    @Test(.enabled(if: NarrowKernelTests.hasLandlock)) func whatTakesTheHelperOverReadsTheModelOnly() async throws {
        let folder = try folder([("good", Self.network())])
        // The result comes through a pipe, since a helper may not write files.
        let result = folder.path + "/result"
        try #require(mkfifo(result, 0o600) == 0)
        let told = open(result, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(told) }
        try folder.write(Array("secret".utf8), "data/secret")
        let environment = try await StandInDecoder(folder: folder).environment([
            "-DPRY", "-DMODEL=\"\(folder.path)/models/good/net.onnx\"", "-DSECRET=\"\(folder.path)/data/secret\"",
            "-DRESULT=\"\(result)\"",
        ])
        let service = try ServiceProcess(
            ["recognition.models_directory": folder.path + "/models"], in: folder, environment: environment)
        #expect(try await service.request("POST", "/models/good/load").status == 200)
        var text = [UInt8](repeating: 0, count: 400)
        let count = read(told, &text, text.count)
        let reports = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: ".")
        // One helper inspects the file. Another runs it.
        #expect(reports.count >= 2 && reports.allSatisfy { $0 == " model" }, "\(reports) \(service.log)")
        try await service.kill()
    }
}
