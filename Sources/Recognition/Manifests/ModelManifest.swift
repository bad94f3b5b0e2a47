/// `manifest.json` beside a model's weights: all data about the model. See `Models/README.md`.
///
/// Missing keys are inferred from the weights if the decoder has them (see ``inferredKey``).
package struct ModelManifest: Codable, Sendable, Equatable {
    package enum Task: String, Codable, Sendable, CaseIterable {
        case classification, detection, features
    }

    /// The name in the interface, `[a-z0-9_-]`, the same as its folder's.
    package let name: String
    package let version: String
    /// The weights, a file name inside the folder. Its ending gives the format; see ``ModelFormat``.
    package let file: String
    /// The SHA-256 of that file in lower-case hexadecimal.
    package let sha256: String
    /// The `.bin` of an OpenVINO IR. The default is the file of the same name.
    package private(set) var weights: String?
    /// The SHA-256 of ``weights``. It is checked if given.
    package private(set) var weightsSHA256: String?
    package let task: Task
    package let input: Input
    /// The classifier heads by name: each an output of the network with the meaning of its values.
    package var heads: [String: Head]
    /// Heads that are sums over classes of another head.
    package private(set) var derivedHeads: [String: DerivedHead]?
    /// The way to read boxes, for a model of ``Task/detection``. Nil if the model answers only with its tensors.
    package var detection: Detection?
    /// Labels of `objects` that people wear or hold. If one of them would be the answer, a detector checks whether the
    /// picture shows a person. Nil never asks.
    package private(set) var people: [String]?
    /// A second network for photos about which the first is uncertain. Nil if there is none.
    package private(set) var cascade: Cascade?
    /// The way to name regions together with a detector. Nil leaves a box the detector's name.
    package private(set) var regions: Regions?
    /// Further output tensors: `logits` for a head's, or a free description for others.
    package var outputs: [String: String] = [:]
    /// Temperature and thresholds for each head. Heads without an entry have the defaults.
    package private(set) var calibration: [String: Calibration]?
    /// The arithmetic. Nil means `f32`, which answers as the framework of the weights would. bf16 changes the first
    /// label of some photos.
    package private(set) var precision: ModelManifest.Precision?
    package private(set) var licence: String?
    /// The source of the weights.
    package private(set) var origin: String?
    /// Assumptions that the weights do not confirm. The operator should check them.
    package private(set) var notes: [String]?

    private enum CodingKeys: String, CodingKey {
        case name, version, file, sha256, weights, task, input, heads, outputs, calibration, licence, origin, notes
        case precision, detection, people, cascade, regions
        case weightsSHA256 = "weights_sha256"
        case derivedHeads = "derived_heads"
    }

    /// The key in a decoder's `userInfo` for the manifest inferred from the weights.
    package static let inferredKey = CodingUserInfoKey(rawValue: "inferred manifest")

    /// A head without weights of its own.
    package struct DerivedHead: Codable, Sendable, Equatable {
        /// The head whose probabilities are summed.
        package let from: String
        package let labels: [Label]

        /// One class of a derived head.
        package struct Label: Codable, Sendable, Equatable {
            package let label: String
            package let status: RecognitionStatus
            /// Classes of the other head that are summed. Empty for `not_yet`.
            package let classes: [SourceClass]
            /// The reason for the status.
            package let note: String?
        }

        /// A class by its index. Its label serves as a check (ImageNet has two cranes and two cardigans).
        package struct SourceClass: Codable, Sendable, Equatable {
            package let index: Int
            package let label: String
        }
    }

    /// Numbers determined on held-out photos.
    package struct Calibration: Codable, Sendable, Equatable {
        /// The divisor of logits before the softmax. The default is 1.
        package let temperature: Float?
        /// The head abstains if its first label is less confident than this, 0…1. The default 0 never abstains.
        package let abstainBelow: Float?
        /// The least confidence with which the head answers at all, 0…1. The default is 0.
        package let answerFrom: Float?

        private enum CodingKeys: String, CodingKey {
            case temperature
            case abstainBelow = "abstain_below"
            case answerFrom = "answer_from"
        }
    }
}

extension ModelManifest {
    package init(from decoder: any Decoder) throws {
        let inferred = decoder.inferredManifest
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.value(.name, inferred?.name)
        version = try container.value(.version, inferred?.version)
        file = try container.value(.file, inferred?.file)
        sha256 = try container.value(.sha256, inferred?.sha256)
        task = try container.value(.task, inferred?.task ?? .classification)
        input = try container.value(.input, inferred?.input)
        heads = try container.value(.heads, task == .classification ? inferred?.heads : inferred?.heads ?? [:])
        detection = try container.optional(.detection, inferred?.detection)
        outputs = try container.value(.outputs, inferred?.outputs ?? [:])
        weights = try container.optional(.weights)
        weightsSHA256 = try container.optional(.weightsSHA256)
        derivedHeads = try container.optional(.derivedHeads)
        people = try container.optional(.people)
        cascade = try container.optional(.cascade)
        regions = try container.optional(.regions)
        calibration = try container.optional(.calibration)
        precision = try container.optional(.precision)
        licence = try container.optional(.licence, inferred?.licence)
        origin = try container.optional(.origin, inferred?.origin)
        notes = try container.optional(.notes, inferred?.notes)
    }
}

extension ModelManifest {
    /// The model by its name and version.
    package var reference: ModelReference { ModelReference(name: name, version: version) }

    /// - Throws: ``RecognitionError/wrongTask(name:task:wanted:)`` if the model was made for another task.
    func require(_ wanted: Task) throws(RecognitionError) {
        guard task == wanted else { throw .wrongTask(name: name, task: task, wanted: wanted) }
    }
}

extension Decoder {
    /// The manifest inferred from the weights. Nil if nothing was inferred.
    var inferredManifest: ModelManifest? { ModelManifest.inferredKey.flatMap { userInfo[$0] as? ModelManifest } }
}

extension KeyedDecodingContainer {
    /// The value of a key. If the key is missing, the value that the weights tell.
    func value<Value: Decodable>(_ key: Key, _ inferred: Value?) throws -> Value {
        guard let inferred, !contains(key) else { return try decode(Value.self, forKey: key) }
        return inferred
    }

    /// The value of a key. If the key is missing, the value that the weights tell, or nil.
    func optional<Value: Decodable>(_ key: Key, _ inferred: Value? = nil) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: key) ?? inferred
    }
}

/// The reliability of a class.
package enum RecognitionStatus: String, Codable, Sendable, CaseIterable {
    /// The class was trained on exactly this species, or an existing class for exactly this species is used.
    case recognised
    /// The class was not proven on photos of exactly this species. It stands for something wider (the genus, the
    /// species without its subspecies, one sex), or too few photos were measured.
    case approximate
    /// No output says this. The label is never answered.
    case notYet = "not_yet"
}

extension ModelManifest {
    /// The arithmetic inside the network.
    package enum Precision: String, Codable, Sendable, CaseIterable {
        /// The fastest of the CPU: bf16 (f16 on arm64) if `Processor.gainsFromHalfPrecision`, otherwise f32. Quantised
        /// parts use int8 if `Processor.sumsBytesExactly`, or if the weights of an ONNX file have seven bits.
        case automatic
        /// The arithmetic of the file's framework. Quantised values are rounded as the file says.
        case f32
    }
}
