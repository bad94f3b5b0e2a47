import Base
import Foundation
import Testing
@testable import Recognition

/// Formats without a shared model. The test writes the files.
@Suite("Model formats", .timeLimit(.minutes(2))) struct ModelFormatTests {
    static let picture = (0..<8 * 8 * 3).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 3) }

    static func manifest(layout: String, output: String = "logits") -> String {
        """
        {"input": {"layout": "\(layout)", "size": [8, 8], "channels": "RGB", "scale": "x/255"},
         "heads": {"hue": {"labels": ["warm", "cold"], "output": "\(output)"}}}
        """
    }

    /// Loads the only model in the folder and compares its answer.
    private func check(_ models: ForeignModels) async throws {
        let repository = models.repository()
        defer { repository.stop() }
        let model = try repository.load("tiny")
        let output = try await model.line.submit(Self.picture).output
        let expected = TinyNetwork.logits(of: Self.picture)
        #expect(output.values.count == 1 && output.values[0].count == 2)
        for (ours, theirs) in zip(output.values[0], expected) { #expect(abs(ours - theirs) < 1e-4) }
        let first = try #require(model.heads.answers(to: output).first?.first)
        #expect(first.label == (expected[0] > expected[1] ? "warm" : "cold"))
    }

    private func write(_ bytes: [UInt8], _ name: String, in models: ForeignModels) throws -> String {
        let path = models.root + "-files"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    @Test func `an OpenVINO IR answers`() async throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        let network = try write(Array(TinyNetwork.ir.utf8), "tiny.xml", in: models)
        let weights = try write(TinyNetwork.binary, "tiny.bin", in: models)
        try models.add("tiny", file: network, also: [weights], manifest: Self.manifest(layout: "NCHW"))
        try await check(models)
    }

    /// The same network with the first column of its matrix alone.
    @Test(arguments: [(Float(0.25), ModelManifest.Task.classification), (8, .features)])
    func `a network with one value is no detector`(weight: Float, task: ModelManifest.Task) throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        let ir = Self.ir(values: 1)
        let axes = TinyNetwork.binary.prefix(16)
        let matrix = (0..<3).flatMap { _ in withUnsafeBytes(of: weight.bitPattern.littleEndian) { Array($0) } }
        _ = try write(axes + matrix, "one.bin", in: models)
        let proposal = try ManifestProposal(inspecting: write(Array(ir.utf8), "one.xml", in: models))
        #expect(proposal.manifest.task == task && proposal.manifest.detection == nil)
        #expect(proposal.manifest.heads["classes"]?.labels == (task == .classification ? ["class_0"] : nil))
        #expect(proposal.manifest.heads["classes"]?.interpretation ?? .probabilities == .probabilities)
        if task == .features { #expect(proposal.manifest.notes?.contains { $0.contains("sigmoid") } == true) }
    }

    @Test func `a network whose output is a scalar answers`() async throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        let network = try write(TinyNetwork.scalar(), "scalar.onnx", in: models)
        #expect(try ManifestProposal(inspecting: network).manifest.outputTensors == ["mean"])
        let heads = #""heads": {"light": {"labels": ["bright"], "interpretation": "probabilities", "output": "OUT"}}"#
        let input = #"{"input": {"layout": "NCHW", "size": [8, 8], "channels": "RGB", "scale": "x/255"}, "#
        try models.add("scalar", file: network, manifest: input + heads.replacing("OUT", with: "mean") + "}")
        try models.add("other", file: network, manifest: input + heads.replacing("OUT", with: "median") + "}")
        let repository = models.repository()
        defer { repository.stop() }
        let model = try repository.load("scalar")
        let output = try await model.line.submit([UInt8](repeating: 51, count: 8 * 8 * 3)).output
        #expect(model.outputs[0].shape == [1] && abs(output.values[0][0] - 0.2) < 1e-4)
        let error = #expect(throws: RecognitionError.self) { try repository.load("other") }
        #expect(
            error
                == .brokenModel(
                    name: "other", fault: .network, reason: #"the network has no output "median"; it has mean"#))
    }

    /// The warm-up's bytes are grey as a picture, but numbers below 0 as a tensor.
    @Test func `a network with a logarithm takes tensors`() async throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        let network = try write(TinyNetwork.scalar(isLogarithm: true), "logarithm.onnx", in: models)
        let input = #"{"input": {"layout": "NCHW", "size": [8, 8], "channels": "RGB", "scale": "x/255"}, "#
        let heads = #""heads": {"light": {"labels": ["bright"], "interpretation": "probabilities", "output": "mean"}}}"#
        try models.add("logarithm", file: network, manifest: input + heads)
        let repository = models.repository()
        defer { repository.stop() }
        let model = try repository.load("logarithm")
        try await model.prepareForTensors()
        let half = withUnsafeBytes(of: Float(0.5).bitPattern.littleEndian) { Array($0) }
        let tensor = (0..<8 * 8 * 3).flatMap { _ in half }
        let output = try await model.submit(tensor: tensor, priority: .interactive, deadline: nil).output
        #expect(abs(output.values[0][0] - log(0.5)) < 1e-4, "\(output.values)")
    }

    @Test func `a report that is too long says so`() throws {
        func read(_ reason: String) throws -> String? {
            let text = try TrialHelper.text(of: TrialReport(problem: .init(fault: "labels", reason: reason)))
            #expect(text.count <= ModelTrial.maximumReport)
            return try JSONDecoder().decode(TrialReport.self, from: text).problem?.reason
        }
        #expect(try read("short") == "short")
        let long = try read(String(repeating: "x", count: ModelTrial.maximumReport))
        #expect(long?.hasPrefix("its labels and licence take 16777") == true)
    }

    @Test func `a network without a value is refused`() throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        _ = try write(TinyNetwork.binary, "none.bin", in: models)
        let file = try write(Array(Self.ir(values: 0).utf8), "none.xml", in: models)
        #expect(throws: RecognitionError.engine("the network's outputs have no values")) {
            try ManifestProposal(inspecting: file)
        }
    }

    /// The tiny network with another number of outputs.
    private static func ir(values: Int) -> String {
        TinyNetwork.ir.replacing("<dim>3</dim><dim>2</dim>", with: "<dim>3</dim><dim>\(values)</dim>")
            .replacing("<dim>1</dim><dim>2</dim>", with: "<dim>1</dim><dim>\(values)</dim>")
            .replacing("shape=\"3,2\"", with: "shape=\"3,\(values)\"")
            .replacing("size=\"24\"", with: "size=\"\(values * 12)\"")
    }

    @Test func `a frozen TensorFlow graph answers`() async throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        let network = try write(TinyNetwork.frozenGraph, "tiny.pb", in: models)
        // TensorFlow numbers the outputs of a node.
        try models.add("tiny", file: network, manifest: Self.manifest(layout: "NHWC", output: "logits:0"))
        try await check(models)
        try models.add("other", file: network, manifest: Self.manifest(layout: "NHWC"))
        let repository = models.repository()
        let error = #expect(throws: RecognitionError.self) { try repository.load("other") }
        #expect(error.map { "\($0)".contains("logits:0") } == true)
        repository.stop()
    }

    @Test func `a graph cut short is a broken model`() throws {
        let models = try ForeignModels()
        defer {
            models.remove()
            try? FileManager.default.removeItem(atPath: models.root + "-files")
        }
        let network = try write(Array(TinyNetwork.frozenGraph.dropLast(60)), "tiny.pb", in: models)
        try models.add("tiny", file: network, manifest: Self.manifest(layout: "NHWC"))
        let repository = models.repository()
        #expect(throws: RecognitionError.self) { try repository.load("tiny") }
        repository.stop()
    }
}
