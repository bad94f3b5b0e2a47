/// `manifest.json` beside a model's weights: everything about the model that is data. See `Models/README.md`.
///
/// Keys that the file leaves out are taken from what the weights tell, where the decoder has it (see
/// ``inferredKey``).
package struct ModelManifest: Codable, Sendable, Equatable {
    /// What the network's outputs mean as a whole.
    package enum Task: String, Codable, Sendable, CaseIterable {
        case classification, detection, features
    }

    /// Name in the interface, `[a-z0-9_-]`, the same as its folder.
    package let name: String
    package let version: String
    /// Weights, a file name inside the folder; its ending says the format, see ``ModelFormat``.
    package let file: String
    /// Lower-case hexadecimal SHA-256 of that file.
    package let sha256: String
    /// The `.bin` of an OpenVINO IR; by default the file of the same name.
    package let weights: String?
    /// SHA-256 of ``weights``; checked where it is given.
    package let weightsSHA256: String?
    package let task: Task
    package let input: Input
    /// Classifier heads by name: an output of the network, and what its values mean.
    package var heads: [String: Head]
    /// Heads that are sums over classes of another head.
    package let derivedHeads: [String: DerivedHead]?
    /// How boxes are read, for a model of ``Task/detection``; nil for one whose tensors are all that it answers.
    package var detection: Detection?
    /// Labels of `objects` that people wear or hold. Where one of them would be the answer, a detector is asked whether
    /// the picture shows a person; nil: never.
    package let people: [String]?
    /// A second network, for the photos of which the first is not sure; nil: none.
    package let cascade: Cascade?
    /// How it names regions together with a detector; nil: a box has the detector's name.
    package let regions: Regions?
    /// Further output tensors: `logits` for a head's, or a free description for those that are no head.
    package var outputs: [String: String]
    /// Per head: temperature and thresholds; a head that is not named has the defaults.
    package let calibration: [String: Calibration]?
    /// Arithmetic; nil: `f32`, which answers as the framework that the weights are from would. bf16 changes the first
    /// label of some photos.
    package let precision: ModelManifest.Precision?
    package let licence: String?
    /// Where the weights are from.
    package let origin: String?
    /// What was assumed because the weights do not tell, for the operator to confirm.
    package let notes: [String]?

    private enum CodingKeys: String, CodingKey {
        case name, version, file, sha256, weights, task, input, heads, outputs, calibration, licence, origin, notes
        case precision, detection, people, cascade, regions
        case weightsSHA256 = "weights_sha256"
        case derivedHeads = "derived_heads"
    }

    /// Where a decoder's `userInfo` carries the manifest that was inferred from the weights.
    package static let inferredKey = CodingUserInfoKey(rawValue: "inferred manifest")

    package init(
        name: String, version: String, file: String, sha256: String, task: Task, input: Input, heads: [String: Head],
        detection: Detection? = nil, outputs: [String: String] = [:], calibration: [String: Calibration]? = nil,
        precision: Precision? = nil, licence: String? = nil, origin: String? = nil, notes: [String]? = nil
    ) {
        self.name = name
        self.version = version
        self.file = file
        self.sha256 = sha256
        self.task = task
        self.input = input
        self.heads = heads
        self.detection = detection
        self.outputs = outputs
        self.licence = licence
        self.origin = origin
        self.notes = notes
        weights = nil
        weightsSHA256 = nil
        derivedHeads = nil
        people = nil
        cascade = nil
        regions = nil
        self.calibration = calibration
        self.precision = precision
    }

    package init(from decoder: any Decoder) throws {
        let inferred = Self.inferredKey.flatMap { decoder.userInfo[$0] as? ModelManifest }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ inferred: Value?) throws -> Value {
            guard let inferred, !container.contains(key) else { return try container.decode(Value.self, forKey: key) }
            return inferred
        }
        name = try value(.name, inferred?.name)
        version = try value(.version, inferred?.version)
        file = try value(.file, inferred?.file)
        sha256 = try value(.sha256, inferred?.sha256)
        task = try value(.task, inferred?.task ?? .classification)
        input = try value(.input, inferred?.input)
        heads = try value(.heads, task == .classification ? inferred?.heads : inferred?.heads ?? [:])
        detection = try container.decodeIfPresent(Detection.self, forKey: .detection) ?? inferred?.detection
        outputs = try value(.outputs, inferred?.outputs ?? [:])
        weights = try container.decodeIfPresent(String.self, forKey: .weights)
        weightsSHA256 = try container.decodeIfPresent(String.self, forKey: .weightsSHA256)
        derivedHeads = try container.decodeIfPresent([String: DerivedHead].self, forKey: .derivedHeads)
        people = try container.decodeIfPresent([String].self, forKey: .people)
        cascade = try container.decodeIfPresent(Cascade.self, forKey: .cascade)
        regions = try container.decodeIfPresent(Regions.self, forKey: .regions)
        calibration = try container.decodeIfPresent([String: Calibration].self, forKey: .calibration)
        precision = try container.decodeIfPresent(ModelManifest.Precision.self, forKey: .precision)
        licence = try container.decodeIfPresent(String.self, forKey: .licence) ?? inferred?.licence
        origin = try container.decodeIfPresent(String.self, forKey: .origin) ?? inferred?.origin
        notes = try container.decodeIfPresent([String].self, forKey: .notes) ?? inferred?.notes
    }

    /// A head without weights of its own.
    package struct DerivedHead: Codable, Sendable, Equatable {
        /// The head whose probabilities are summed.
        package let from: String
        package let labels: [Label]

        /// One class of a derived head.
        package struct Label: Codable, Sendable, Equatable {
            package let label: String
            package let status: RecognitionStatus
            /// Classes of the other head that are summed; empty for `not_yet`.
            package let classes: [SourceClass]
            /// Why the status is what it is.
            package let note: String?
        }

        /// A class by its index, with its label as a check (ImageNet has two cranes and two cardigans).
        package struct SourceClass: Codable, Sendable, Equatable {
            package let index: Int
            package let label: String
        }
    }

    /// Numbers found on held-out photos.
    package struct Calibration: Codable, Sendable, Equatable {
        /// Logits are divided by it before the softmax; default 1.
        package let temperature: Float?
        /// The answer abstains below this confidence of its first label, 0…1; default 0, never.
        package let abstainBelow: Float?
        /// The head answers at all only from this confidence on, 0…1; default 0.
        package let answerFrom: Float?

        package init(temperature: Float?, abstainBelow: Float?, answerFrom: Float?) {
            self.temperature = temperature
            self.abstainBelow = abstainBelow
            self.answerFrom = answerFrom
        }

        private enum CodingKeys: String, CodingKey {
            case temperature
            case abstainBelow = "abstain_below"
            case answerFrom = "answer_from"
        }
    }
}

/// How far a class can be trusted.
package enum RecognitionStatus: String, Codable, Sendable, CaseIterable {
    /// Trained on, or read off a class of, exactly this species.
    case recognised
    /// Not proven on photos of exactly this species: what stands for it is wider (the genus, the species without its
    /// subspecies, one sex), or too few photos were measured.
    case approximate
    /// Nothing says this; the label is never answered.
    case notYet = "not_yet"
}
