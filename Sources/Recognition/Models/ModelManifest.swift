/// `manifest.json` beside a model's weights: everything about the model that is data. See `Models/README.md`.
package struct ModelManifest: Codable, Sendable, Equatable {
    /// Name in the interface, `[a-z0-9_-]`, the same as its folder.
    package let name: String
    package let version: String
    /// Weights, a file name inside the folder.
    package let file: String
    /// Lower-case hexadecimal SHA-256 of that file.
    package let sha256: String
    package let input: Input
    /// Classifier heads by name: an output of the same name, and what its values mean.
    package let heads: [String: Head]
    /// Heads that are sums over classes of another head.
    package let derivedHeads: [String: DerivedHead]?
    /// Output tensors: `logits`, or a free description for those that are no head.
    package let outputs: [String: String]
    /// Per head: temperature and thresholds; a head that is not named has the defaults.
    package let calibration: [String: Calibration]?

    private enum CodingKeys: String, CodingKey {
        case name, version, file, sha256, input, heads, outputs, calibration
        case derivedHeads = "derived_heads"
    }

    /// A classifier head; in the file, the list of its labels.
    package struct Head: Codable, Sendable, Equatable {
        /// Class names in the order of the output's values.
        package let labels: [String]

        package init(from decoder: any Decoder) throws {
            labels = try decoder.singleValueContainer().decode([String].self)
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(labels)
        }
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

        private enum CodingKeys: String, CodingKey {
            case temperature
            case abstainBelow = "abstain_below"
            case answerFrom = "answer_from"
        }
    }
}

/// How far a class of a derived head can be trusted.
package enum RecognitionStatus: String, Codable, Sendable, CaseIterable {
    /// The source class is exactly this species.
    case recognised
    /// The source class is wider: the genus, the species without its subspecies, or one sex.
    case approximate
    /// No class says this; the label is never answered.
    case notYet = "not_yet"
}
