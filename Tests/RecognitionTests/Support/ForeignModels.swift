import Foundation
import Recognition
import Testing

/// The public models of the shared folder, in a temporary repository of links with manifests.
struct ForeignModels {
    static let folder = TestModels.shared + "/models/third_party"
    static var areThere: Bool { FileManager.default.fileExists(atPath: folder + "/README.md") }

    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "menagerie-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }

    /// Makes a model's folder with links to the files. Without a manifest everything is inferred.
    func add(
        _ name: String, version: String? = nil, file: String, also others: [String] = [], manifest: String? = nil
    ) throws {
        let model = root + "/" + name + (version.map { "/" + $0 } ?? "")
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        for path in [file] + others {
            let target = path.hasPrefix("/") ? path : Self.folder + "/" + path
            try FileManager.default.createSymbolicLink(
                atPath: model + "/" + (target as NSString).lastPathComponent, withDestinationPath: target)
        }
        if let manifest { try Data(manifest.utf8).write(to: URL(filePath: model + "/manifest.json")) }
    }

    /// A repository for the folder that serves one photo at a time.
    func repository(
        precision: ModelManifest.Precision = .f32, limits: ModelRepository.Limits = ModelRepository.Limits()
    ) -> ModelRepository {
        ModelRepository(root: root, engineOptions: EngineOptions(precision: precision, lanes: 1), limits: limits)
    }

    /// The classifiers for ImageNet's thousand classes, with the manifests that a user would write.
    struct Classifier: CustomTestStringConvertible, Sendable {
        let name: String
        let file: String
        let manifest: String
        /// The least share of right answers over the photos of ``ForeignModelTests``.
        let floor: Double
        /// Whether its weights are floats. Otherwise they are quantised.
        var isFloat = false

        var testDescription: String { name }

        static let labels = "imagenet_labels_1001.txt"

        private static let torch = """
            "layout": "NCHW", "size": [224, 224], "short_side": 256, "channels": "RGB", "scale": "x/255",
            "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]
            """

        static let all = [
            Classifier(
                name: "mobilenet_v2", file: "mobilenet_v2_tf2_ptq.tflite",
                manifest: """
                    {"licence": "Apache-2.0", "input": {"short_side": 256},
                     "heads": {"objects": {"labels_file": "\(labels)", "classes": 1001, "output": "Identity",
                                           "interpretation": "quantised", "background": 0}}}
                    """, floor: 0.48),
            Classifier(
                name: "mobilenet_v1", file: "mobilenet_v1_075_192_quant.tflite",
                manifest: """
                    {"licence": "Apache-2.0", "input": {"short_side": 220},
                     "heads": {"objects": {"labels_file": "\(labels)", "classes": 1001, "interpretation": "quantised",
                                           "output": "MobilenetV1/Predictions/Reshape_1", "background": 0}}}
                    """, floor: 0.48),
            Classifier(
                name: "mobilenet_v2_int8", file: "mobilenetv2_int8.onnx",
                manifest: """
                    {"licence": "Apache-2.0", "input": {\(torch)},
                     "heads": {"objects": {"labels_file": "\(labels)", "classes": 1000, "output": "scores"}}}
                    """, floor: 0.45),
            Classifier(
                name: "squeezenet", file: "squeezenet1.1.onnx",
                manifest: """
                    {"licence": "Apache-2.0", "input": {\(torch)},
                     "heads": {"objects": {"labels_file": "\(labels)", "classes": 1000, "output": "prob",
                                           "interpretation": "probabilities"}}}
                    """, floor: 0.3, isFloat: true),
        ]
    }
}
