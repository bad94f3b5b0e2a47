import Base
import Foundation
import Imaging
import TestSupport
import Testing
@testable import Recognition

@Suite(
    "Foreign models", .slow, .enabled(if: ForeignModels.areThere && TestModels.photosAreThere, TestModels.hint),
    .timeLimit(.minutes(10)))
struct ForeignModelTests {
    /// Photos whose class is an ImageNet class, the same in every run.
    static func imageNetPhotos() throws -> [TestModels.Photo] {
        let labels = Set(ImageNetLabels.all)
        let all = try ["animal", "fruit", "object"].flatMap {
            try TestModels.photos(group: $0, classes: labels, perClass: 1)
        }
        return all.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
    }

    /// Uses the photos of ``imageNetPhotos()``. Most are not from ImageNet.
    @Test("An ImageNet classifier names photos", arguments: ForeignModels.Classifier.all)
    func classifier(_ model: ForeignModels.Classifier) async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        try models.add(
            model.name, file: model.file, also: [ForeignModels.Classifier.labels], manifest: model.manifest)
        var options = RecogniserOptions(modelsDirectory: models.root, defaultModel: model.name, cores: 2)
        options.engine.precision = .f32
        let recogniser = try Recogniser(options: options)
        // ImageNet's list and this program's names have the same order.
        let names = ImageNetLabels.all
        let labels = try #require(try recogniser.models.model(model.name).manifest.heads["objects"]?.labels)
        let offset = labels.count - names.count
        let photos = try Self.imageNetPhotos()
        #expect(photos.count >= 200)
        var right = 0
        for photo in photos {
            let answer = try await recogniser.classify(try photo.bytes())
            let label = try #require(answer.predictions(1).first?.label)
            let index = try #require(labels.indices.first { labels[$0] == label })
            // Two labels occur twice in the list (crane, maillot). Either index is right.
            right += names[index - offset] == photo.label ? 1 : 0
        }
        let rate = Double(right) / Double(photos.count)
        print("\(model.name): \(right) of \(photos.count) right")
        #expect(rate >= model.floor, "\(model.name): \(right) of \(photos.count)")
        recogniser.stop()
    }

    @Test("A Core ML file without a manifest gives the known answers", arguments: CoreMLFixture.all)
    func coreML(_ fixture: CoreMLFixture) async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        let name = fixture.name.lowercased()
        try models.add(name, file: "mlmodel/\(fixture.name).mlmodel")
        let repository = models.repository()
        let model = try repository.load(name)
        var answers = try fixture.answers()
        let input = answers.removeValue(forKey: "input")
        let pixels = try #require(input)
        let answer = try #require(answers.values.first)
        let output = try await model.line.submit(rgb(pixels, order: model.manifest.input.channels)).output
        let difference = zip(output.values[0], answer.values).map { abs($0 - $1) }.max() ?? 1
        #expect(output.values[0].count == answer.values.count)
        #expect(difference <= 1e-3)
        print(fixture.name, "differs by at most", difference)
        #expect(model.heads.answers(to: output)[0].labels == (try fixture.labels()))
        #expect(model.manifest.notes == [])
        repository.stop()
    }

    /// The engine's input for an array of 1×C×H×W in the network's own channel order.
    func rgb(_ pixels: NumpyArchive.Array, order: ModelManifest.Input.Channels) -> [UInt8] {
        let plane = pixels.values.count / order.count
        let planes = [[0, 1, 2], [2, 1, 0], [0, 0, 0]][order == .rgb ? 0 : order == .bgr ? 1 : 2]
        return (0..<plane).flatMap { index in planes.map { UInt8(pixels.values[$0 * plane + index]) } }
    }

    @Test("Detectors load without a manifest, with their own preprocessing and COCO's labels")
    func detectors() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        try models.add("yolox_nano", file: "yolox_nano.onnx", also: ["coco_labels.txt"])
        try models.add("fastest_det", file: "FastestDet.onnx")
        let repository = models.repository()
        let yolox = try repository.load("yolox_nano")
        #expect(yolox.manifest.task == .detection && yolox.outputs.map(\.size) == [3549 * 85])
        let input = yolox.manifest.input
        #expect(input.size == [416, 416] && input.channels == .bgr && input.scale == "x" && input.crop == .fit)
        #expect(input.padding == Padding(level: 114, anchor: .topLeft))
        let detection = try #require(yolox.manifest.detection)
        #expect(detection.decoder == .yolox && detection.strides == [8, 16, 32] && detection.output == "output")
        #expect(detection.labelsFile == "coco_labels.txt" && detection.labels.count == 80)
        #expect(detection.labels[15] == "cat" && detection.labels[3] == "motorbike")
        #expect(yolox.manifest.notes?.count == 1)

        let fastest = try repository.load("fastest_det")
        #expect(fastest.manifest.input.size == [352, 352] && fastest.manifest.input.crop == .fill)
        #expect(fastest.manifest.input.channels == .bgr && fastest.manifest.input.scale == "x/255")
        let other = try #require(fastest.manifest.detection)
        #expect(other.decoder == .fastestdet && other.strides == [16] && other.labels[3] == "motorcycle")
        // Without a file of labels the model gets COCO's names. The notes say that this is an assumption.
        #expect(fastest.manifest.notes?.count == 2 && other.labelsFile == nil)
        repository.stop()

        let proposal = try ManifestProposal(inspecting: ForeignModels.folder + "/yolox_nano.onnx")
        #expect(!proposal.isSureOfInput)
        var back = try JSONDecoder().decode(ModelManifest.self, from: try proposal.manifest.json())
        #expect(back.input == proposal.manifest.input && back.detection?.labels == [])
        back.detection?.labels = detection.labels
        #expect(back.detection == proposal.manifest.detection)
    }

    @Test("A detector's section that cannot work is named")
    func wrongDetections() throws {
        let models = try ForeignModels()
        defer { models.remove() }
        let input = #""input": {"layout": "NCHW", "size": [416, 416], "channels": "BGR"}"#
        let sections = [
            ("strides", #"{"decoder": "yolox", "strides": [8, 16], "classes": 80}"#, "have [3380, 85]"),
            ("classes", #"{"decoder": "yolox", "labels": ["cat", "dog"]}"#, "with 2 classes"),
            ("absent", #"{"decoder": "yolox", "classes": 80, "output": "none"}"#, "none"),
            ("other", #"{"decoder": "fastestdet", "classes": 80}"#, "[85, 26, 26]"),
            ("overlap", #"{"decoder": "yolox", "classes": 80, "overlap": 2}"#, "detection.overlap"),
            ("confidence", #"{"decoder": "yolox", "classes": 80, "confidence": -1}"#, "detection.confidence"),
            ("unknown", #"{"decoder": "ssd", "classes": 80}"#, "ssd"),
            ("nofile", #"{"decoder": "yolox", "labels_file": "none.txt"}"#, "none.txt"),
        ]
        let repository = models.repository()
        for (name, section, words) in sections {
            try models.add(
                name, file: "yolox_nano.onnx", manifest: #"{"task": "detection", \#(input), "detection": \#(section)}"#)
            let error = #expect(throws: RecognitionError.self) { try repository.load(name) }
            #expect(error?.description.contains(words) == true, "\(name): \(error?.description ?? "")")
        }
        #expect(repository.readyModels.isEmpty)
    }

    @Test("The proposal uses the facts in the file")
    func proposals() throws {
        let quantised = try ManifestProposal(inspecting: ForeignModels.folder + "/mobilenet_v2_tf2_ptq.tflite")
        #expect(quantised.isSureOfInput)
        let input = quantised.manifest.input
        #expect(input.type == .u8 && input.layout == "NHWC" && input.size == [224, 224] && input.channels == .rgb)
        let head = try #require(quantised.manifest.heads["objects"])
        #expect(head.interpretation == .quantised && head.background == 0 && head.classes == 1001)
        let planar = try ManifestProposal(inspecting: ForeignModels.folder + "/squeezenet1.1.onnx", name: "own")
        #expect(!planar.isSureOfInput)
        #expect(planar.manifest.name == "own" && planar.manifest.input.layout == "NCHW")
        #expect(planar.manifest.heads["objects"]?.interpretation == .probabilities)
        let logits = try ManifestProposal(inspecting: ForeignModels.folder + "/mobilenetv2_int8.onnx")
        #expect(logits.manifest.heads["objects"]?.interpretation == .logits)
        // A proposal is a manifest, so it can be read again.
        let back = try JSONDecoder().decode(ModelManifest.self, from: try logits.manifest.json())
        #expect(back.input == logits.manifest.input && back.sha256 == logits.manifest.sha256)
        #expect(throws: RecognitionError.self) { try ManifestProposal(inspecting: #filePath) }
    }

    @Test(
        "An ImageNet file without labels gets ImageNet's",
        arguments: ["mobilenet_v2_tf2_ptq.tflite", "mobilenet_v1_075_192_quant.tflite", "mobilenetv2_int8.onnx"])
    func assumedLabels(file: String) async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        try models.add("own", file: file)
        let proposal = try ManifestProposal(inspecting: models.root + "/own/" + file)
        let proposed = try #require(proposal.manifest.heads["objects"])
        #expect(proposal.manifest.notes?.contains { $0.contains("ImageNet") } == true)
        #expect((proposed.labels.first == "background") == (proposed.labels.count == 1001))
        // `models inspect` prints a manifest that contains the labels.
        let written = try JSONDecoder().decode(ModelManifest.self, from: try proposal.manifest.json())
        #expect(written.heads["objects"]?.labels == proposed.labels)

        var options = RecogniserOptions(modelsDirectory: models.root, defaultModel: "own", cores: 2)
        options.engine.precision = .f32
        let recogniser = try Recogniser(options: options)
        let photos = try Self.imageNetPhotos()
        var right = 0
        for photo in photos {
            let labels = try await recogniser.classify(try photo.bytes()).predictions(5).map(\.label)
            #expect(!labels.contains("background") && !labels.contains { $0.hasPrefix("class_") })
            right += labels.first == photo.label ? 1 : 0
        }
        print("\(file): \(right) of \(photos.count) right by assumed labels")
        #expect(Double(right) >= 0.4 * Double(photos.count), "\(right) of \(photos.count)")
        recogniser.stop()
    }

    @Test("A labels file that does not fit, and a head without an output, are named")
    func wrongHeads() throws {
        let models = try ForeignModels()
        defer { models.remove() }
        let heads = [
            ("short", #"{"classes": {"labels": ["a", "b"], "output": "prob"}}"#, "1000 values, its head 2 labels"),
            ("absent", #"{"classes": {"labels": ["a"], "output": "none"}}"#, "none"),
            ("nofile", #"{"classes": {"labels_file": "none.txt", "output": "prob"}}"#, "none.txt"),
            ("escape", #"{"classes": {"labels_file": "../x", "output": "prob"}}"#, "../x"),
            ("back", #"{"classes": {"classes": 1000, "output": "prob", "background": 1000}}"#, "background"),
        ]
        let repository = models.repository()
        for (name, head, words) in heads {
            try models.add(
                name, file: "squeezenet1.1.onnx", manifest: #"{"input": {"scale": "x/255"}, "heads": \#(head)}"#)
            let error = #expect(throws: RecognitionError.self) { try repository.load(name) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
        #expect(repository.readyModels.isEmpty)
    }
}
