extension ModelManifest {
    /// A classifier head. The file gives the list of its labels, or an object with more.
    package struct Head: Codable, Sendable, Equatable {
        /// The meaning of the output's values.
        package enum Interpretation: String, Codable, Sendable, CaseIterable {
            /// Any real numbers. Their softmax is the answer.
            case logits
            /// Probabilities, 0…1.
            case probabilities
            /// Integers q that represent the probability `scale × (q − zero_point)`, by default q / 256.
            case quantised
        }

        /// Class names in the order of the output's values.
        package var labels: [String] = []
        /// A file inside the folder with one label a line, in place of ``labels``.
        package var labelsFile: String?
        /// The number of classes if nothing names them. They are then `class_0`, `class_1` …
        package var classes: Int?
        /// The name of the tensor. Nil means the head's own name.
        package var output: String?
        package var interpretation = Interpretation.logits
        /// The class that means "none of these" and is never answered.
        package var background: Int?
        package var scale: Float?
        package var zeroPoint: Float?
        /// The reliability of labels that differs from the default. Labels that are `not_yet` are never answered.
        package var status: [String: LabelStatus]?

        /// A label's ``RecognitionStatus``, with the reason.
        package struct LabelStatus: Codable, Sendable, Equatable {
            package let status: RecognitionStatus
            package let note: String?
        }

        private enum CodingKeys: String, CodingKey {
            case labels, classes, output, interpretation, background, scale, status
            case labelsFile = "labels_file"
            case zeroPoint = "zero_point"
        }
    }
}

extension ModelManifest.Head {
    package init(from decoder: any Decoder) throws {
        if let labels = try? decoder.singleValueContainer().decode([String].self) {
            self.init(labels: labels)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            labels: try container.optional(.labels) ?? [], labelsFile: try container.optional(.labelsFile),
            classes: try container.optional(.classes), output: try container.optional(.output),
            interpretation: try container.optional(.interpretation) ?? .logits,
            background: try container.optional(.background), scale: try container.optional(.scale),
            zeroPoint: try container.optional(.zeroPoint), status: try container.optional(.status))
    }

    package func encode(to encoder: any Encoder) throws {
        if self == Self(labels: labels) {
            var container = encoder.singleValueContainer()
            try container.encode(labels)
            return
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        let isMadeUp = classes != nil && labels.first == "class_0"
        if labelsFile == nil, !isMadeUp, !labels.isEmpty { try container.encode(labels, forKey: .labels) }
        try container.encodeIfPresent(labelsFile, forKey: .labelsFile)
        try container.encodeIfPresent(classes, forKey: .classes)
        try container.encodeIfPresent(output, forKey: .output)
        try container.encode(interpretation, forKey: .interpretation)
        try container.encodeIfPresent(background, forKey: .background)
        try container.encodeIfPresent(scale, forKey: .scale)
        try container.encodeIfPresent(zeroPoint, forKey: .zeroPoint)
        try container.encodeIfPresent(status, forKey: .status)
    }

    /// The classes that are never answered, ascending: ``background`` and labels that are `not_yet`.
    package var unanswered: [Int] {
        labels.indices.filter { $0 == background || status?[labels[$0]]?.status == .notYet }
    }
}
