import Foundation
import Imaging
import Testing

@testable import Recognition

/// The detector that comes with the service, on real photos.
@Suite(
    "Our own detector", .enabled(if: ForeignModels.areThere && TestModels.photosAreThere, TestModels.hint),
    .timeLimit(.minutes(10)))
struct OwnDetectorTests {
    private static let folder = TestModels.directory + "/" + Recogniser.ownDetector

    private func withDetector(
        cores: Int = 2, _ body: (Recogniser) async throws -> Void
    ) async throws {
        let recogniser = try Recogniser(
            options: RecogniserOptions(
                modelsDirectory: TestModels.directory, defaultModel: Recogniser.ownDetector, cores: cores))
        defer { recogniser.stop() }
        try await body(recogniser)
    }

    @Test("It takes at most 4 MB and knows COCO's classes")
    func file() throws {
        let size = try FileManager.default.attributesOfItem(atPath: "\(Self.folder)/menagerie_boxes.onnx")[.size]
        #expect(try #require(size as? Int) <= 4 << 20)
        let manifest = try ModelStore(root: TestModels.directory).open(Recogniser.ownDetector).manifest
        #expect(manifest.detection?.labels.prefix(80) == COCOLabels.all.prefix(80))
    }

    /// YOLOX-Nano finds the cat in 45 of the same 60 photos and the dog in 31.
    @Test("A cat or a dog that is there is found more often than by YOLOX-Nano")
    func realPhotos() async throws {
        try await withDetector { recogniser in
            for (group, floor) in [("cat", 46), ("dog", 36)] {
                let labels = try FileManager.default.contentsOfDirectory(
                    atPath: TestModels.shared + "/data/photos/\(group)")
                let photos = try TestModels.photos(group: group, classes: Set(labels.sorted().prefix(60)), perClass: 3)
                var right = 0
                for photo in photos.prefix(60) {
                    let boxes = try await recogniser.detect(try photo.bytes()).boxes
                    right += boxes.contains { $0.label == group } ? 1 : 0
                }
                print("Our own detector: a \(group) in \(right) of \(min(photos.count, 60)) photos")
                #expect(right >= floor)
            }
        }
    }

    @Test("It answers where none is named, though others lie beside it")
    func choice() async throws {
        let models = try ForeignModels()
        defer { models.remove() }
        try models.add("yolox_nano", file: "yolox_nano.onnx")
        try models.add("fastest_det", file: "FastestDet.onnx")
        let photo = try #require(try TestModels.photos(group: "cat", classes: ["siamese"], perClass: 1).first).bytes()
        let options = RecogniserOptions(modelsDirectory: models.root, defaultModel: "yolox_nano", cores: 1)
        let recogniser = try Recogniser(options: options)
        defer { recogniser.stop() }
        await #expect(throws: RecognitionError.noDetector(among: ["fastest_det", "yolox_nano"])) {
            try await recogniser.detect(photo)
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(models.root)/\(Recogniser.ownDetector)", withDestinationPath: Self.folder)
        #expect(try await recogniser.detect(photo).modelName == Recogniser.ownDetector)
        #expect(try await recogniser.detect(photo, model: "yolox_nano").modelName == "yolox_nano")
    }

    @Test("A file with boxes of another number of classes is refused with its shape")
    func wrongClasses() throws {
        let models = try ForeignModels()
        defer { models.remove() }
        let folder = "\(models.root)/\(Recogniser.ownDetector)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/menagerie_boxes.onnx", withDestinationPath: "\(Self.folder)/menagerie_boxes.onnx")
        let file = URL(filePath: "\(Self.folder)/manifest.json")
        var manifest = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: any Sendable])
        var detection = try #require(manifest["detection"] as? [String: any Sendable])
        detection["labels"] = ["cat", "dog"]
        manifest["detection"] = detection
        try JSONSerialization.data(withJSONObject: manifest).write(to: URL(filePath: "\(folder)/manifest.json"))
        let repository = ModelRepository(root: models.root, engineOptions: EngineOptions(lanes: 1))
        defer { repository.stop() }
        #expect {
            try repository.load(Recogniser.ownDetector)
        } throws: { error in
            "\(error)".contains("with 2 classes have") && "\(error)".contains("[3598, 6]")
        }
    }
}
