import Base
package import FoundationEssentials
import ModelImport

/// The contents of a model folder, made from a base and a head: an ONNX file that runs by itself, and the manifest.
package struct TrainedModel: Sendable {
    /// The name of the weights in the folder.
    package static let file = "model.onnx"

    package let onnx: [UInt8]
    package let manifest: ModelManifest

    /// - Parameters:
    ///   - head: the head trained on the base's features.
    ///   - base: a model of the store, in ONNX or Core ML.
    ///   - origin: the maker of the model and its sources.
    package init(
        _ head: TrainedHead, on base: ModelReference, in store: ModelStore, name: String, version: String,
        origin: String
    ) throws(RecognitionError) {
        let entry = try store.open(base.name, version: base.version)
        onnx = try Self.join(head, to: entry)
        manifest = ModelManifest(
            trained: head, on: entry.manifest, name: name, version: version,
            sha256: ContentDigest(of: onnx).hexadecimal, origin: origin)
        try manifest.validate()
    }

    /// The base's network with the head as an ONNX file. The same base and head give the same bytes.
    static func join(_ head: TrainedHead, to base: ModelStore.Entry) throws(RecognitionError) -> [UInt8] {
        let network = try base.withFeatures()
        do {
            return try ONNXGraft(network).joined(
                with: .init(classes: head.labels.count, centre: head.centre, weights: head.weights, bias: head.bias))
        } catch {
            throw .engine(error.description)
        }
    }
}

extension ModelManifest {
    /// The manifest as a file, with sorted keys.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Describes a classifier with the base's input and arithmetic, and one head.
    fileprivate init(
        trained head: TrainedHead, on base: ModelManifest, name: String, version: String, sha256: String, origin: String
    ) {
        let status = head.notes.mapValues { Head.LabelStatus(status: .approximate, note: $0) }
        self.init(
            name: name, version: version, file: TrainedModel.file, sha256: sha256, task: .classification,
            input: base.input,
            heads: [
                ONNXGraft.classes: Head(
                    labels: head.labels, background: head.background, status: status.isEmpty ? nil : status)
            ],
            outputs: [
                ONNXGraft.classes: "logits",
                ONNXGraft.features: "\(head.features): those of \(base.reference)",
            ],
            calibration: [
                ONNXGraft.classes: Calibration(
                    temperature: Float(head.temperature), abstainBelow: Float(head.abstainBelow), answerFrom: nil)
            ],
            precision: base.precision, licence: base.licence, origin: origin)
    }
}
