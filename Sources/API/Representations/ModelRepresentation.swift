import Base
import Imaging
import Recognition

/// A model in the HTTP interface. The manifest's facts are shown even if the model is not loaded.
struct ModelRepresentation: Encodable {
    enum State: String, Encodable {
        case ready, unloaded, broken
    }

    struct Input: Encodable {
        let name: String
        let width, height: Int
        let layout: String
        let channels: String
        let type: String
        let scale: String
        let mean: [Float]?
        let std: [Float]?
        let crop: String
        let padding: Padding?
    }

    /// The reading of boxes.
    struct Detection: Encodable {
        let decoder: String
        let classes: Int
        let strides: [Int]
        let confidence: Double
        let overlap: Double
        let maxBoxes: Int
        let labels: [String]?
    }

    struct Head: Encodable {
        let classes: Int
        let interpretation: String?
        let labels: [String]?
    }

    /// The second network of a cascade.
    struct Cascade: Encodable {
        let sha256: String
        /// For each head, the probability below which the second network runs.
        let askedBelow: [String: Double]
        let licence: String?
        let origin: String?
        /// The specialists by head; absent if there are none.
        let specialists: [String: Specialist]?

        struct Specialist: Encodable {
            let sha256: String
            /// The probability of the head's first label below which the specialist runs.
            let askedBelow: Double
            let licence: String?
            let origin: String?
        }
    }

    struct Version: Encodable {
        let version: String
        let ready: Bool
        let active: Bool
        /// The estimated memory in bytes.
        let memory: Int?
        /// The seconds since the last answer.
        let idle: Double?
    }

    let name: String
    /// The version that is described: the active one, or the latest.
    let version: String
    let versions: [Version]
    let state: State
    let ready: Bool
    let `default`: Bool
    /// Whether the model was added over HTTP, so that it can be removed over HTTP.
    let removable: Bool
    /// The reason why it cannot be loaded, in English.
    let problem: String?
    /// A stable code of the problem for programs.
    let problemCode: String?
    /// The size of its weights' files.
    let bytes: Int?
    let format: String?
    let task: String?
    let sha256: String?
    let licence: String?
    let origin: String?
    let notes: [String]?
    let input: Input?
    let heads: [String: Head]?
    /// The reading of boxes; absent for models without detection.
    let detection: Detection?
    /// The second network; absent for models of one network.
    let cascade: Cascade?
    let url: String

    private static func code(_ error: RecognitionError) -> String {
        switch error {
        case .brokenModel(_, let fault, _): fault.rawValue
        case .modelTooLarge: "too-large"
        default: "other"
        }
    }

    init(_ status: ModelStatus, withLabels: Bool = false) {
        let manifest = status.described.manifest
        name = status.name
        version = status.described.version
        versions = status.versions.map {
            Version(
                version: $0.version, ready: $0.model != nil, active: $0.isActive, memory: $0.model?.memory,
                idle: $0.idle?.seconds.rounded1)
        }
        bytes = status.described.bytes
        ready = status.versions.contains { $0.version == status.described.version && $0.model != nil }
        state = ready ? .ready : status.failure == nil ? .unloaded : .broken
        problem = status.failure?.description
        problemCode = status.failure.map(Self.code)
        self.default = status.isDefault
        removable = status.isRemovable
        format = manifest.flatMap { ModelFormat(fileName: $0.file)?.rawValue }
        task = manifest?.task.rawValue
        sha256 = manifest?.sha256
        licence = manifest?.licence
        origin = manifest?.origin
        notes = status.described.notes
        input = manifest.map { Input($0.input) }
        heads = manifest.map { Self.heads(of: $0, withLabels: withLabels) }
        detection = manifest?.detection.map { Detection($0, withLabels: withLabels) }
        cascade = manifest?.cascade.map { Cascade($0) }
        url = "/models/\(status.name)"
    }

    private static func heads(of manifest: ModelManifest, withLabels: Bool) -> [String: Head] {
        let trained = manifest.heads.mapValues {
            Head(
                classes: $0.labels.count, interpretation: $0.interpretation.rawValue,
                labels: withLabels ? $0.labels : nil)
        }
        let derived = (manifest.derivedHeads ?? [:]).mapValues { head in
            Head(classes: head.labels.count, interpretation: nil, labels: withLabels ? head.labels.map(\.label) : nil)
        }
        return trained.merging(derived) { trained, _ in trained }
    }
}

extension ModelRepresentation.Input {
    init(_ input: ModelManifest.Input) {
        self.init(
            name: input.tensorName, width: input.width, height: input.height, layout: input.layout,
            channels: input.channels.rawValue, type: input.type.rawValue, scale: input.scale, mean: input.channelMean,
            std: input.channelDeviation, crop: (input.crop ?? .center).rawValue, padding: input.padding)
    }
}

extension ModelRepresentation.Cascade {
    init(_ cascade: ModelManifest.Cascade) {
        self.init(
            sha256: cascade.sha256, askedBelow: cascade.askedBelow.mapValues(\.rounded4),
            licence: cascade.licence, origin: cascade.origin,
            specialists: cascade.specialists?.mapValues {
                Specialist(
                    sha256: $0.sha256, askedBelow: $0.askedBelow.rounded4, licence: $0.licence, origin: $0.origin)
            })
    }
}

extension ModelRepresentation.Detection {
    init(_ detection: ModelManifest.Detection, withLabels: Bool) {
        self.init(
            decoder: detection.decoder.rawValue, classes: detection.labels.count, strides: detection.strides,
            confidence: detection.confidence.rounded4, overlap: detection.overlap,
            maxBoxes: detection.maximumBoxes, labels: withLabels ? detection.labels : nil)
    }
}
