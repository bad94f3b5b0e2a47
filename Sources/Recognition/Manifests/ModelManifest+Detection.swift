import Base

extension ModelManifest {
    /// How the boxes of a network of ``Task/detection`` are read out of its output.
    package struct Detection: Codable, Sendable, Equatable {
        /// The arrangement of the output's values.
        package enum Decoder: String, Codable, Sendable, CaseIterable {
            /// Cells × (4 + 1 + classes), cells of each stride in turn, row by row: offset of the centre from the cell
            /// and logarithm of the size, both in strides; probability of an object; probabilities of the classes
            /// (Ge et al., "YOLOX", arXiv 2107.08430).
            case yolox
            /// (1 + 4 + classes) × rows × columns of one stride: probability of an object; centre through tanh, from
            /// the cell's corner, in cells; size through the logistic function, as a share of the picture;
            /// probabilities of the classes (FastestDet, dog-qiuqiu/FastestDet `utils/tool.py`).
            case fastestdet
            /// Boxes × (4 + classes): left, top, right and bottom in pixels of the network's picture; probabilities of the
            /// classes. For networks whose file ends in boxes, however they came to them.
            case corners
            /// Boxes × (4 + 1 + classes): centre and size in pixels of the network's picture; probability of an object;
            /// probabilities of the classes. What YOLOv5 exports, MegaDetector 5 among it (ultralytics/yolov5
            /// `models/yolo.py`).
            case yolov5
            /// (4 + classes) × boxes: planes of centre and size in pixels, and of the probabilities of the classes. What
            /// YOLOv8, YOLOv9 and YOLO11 export, MegaDetector 1000 among them (ultralytics `nn/modules/head.py`).
            case yolov9

            /// Those of published networks, which are known by the shape of their output.
            package static let published: [Decoder] = [.yolox, .fastestdet]
        }

        package let decoder: Decoder
        /// Tensor name.
        package let output: String
        /// Pixels of the network's picture for one cell, finest first; none where the output holds whole boxes.
        package let strides: [Int]
        /// Class names in the order of the output's values.
        package var labels: [String]
        /// A file inside the folder with one label a line, instead of ``labels``.
        package let labelsFile: String?
        /// How many classes, where nothing names them: they are then `class_0`, `class_1` …
        package let classes: Int?
        /// Boxes less sure than this are dropped, 0…1, where the request does not say.
        package let confidence: Float
        /// Of two boxes of one class whose intersection over union is above this, the surer one stays, 0…1.
        package let overlap: Double
        /// Boxes of one picture at most, the surest.
        package let maximumBoxes: Int

        private enum CodingKeys: String, CodingKey {
            case decoder, output, strides, labels, classes, confidence, overlap
            case labelsFile = "labels_file"
            case maximumBoxes = "max_boxes"
        }

        package init(
            decoder: Decoder, output: String, strides: [Int] = [], labels: [String] = [], labelsFile: String? = nil,
            classes: Int? = nil, confidence: Float = 0.3, overlap: Double = 0.45, maximumBoxes: Int = 100
        ) {
            self.decoder = decoder
            self.output = output
            self.strides = strides
            self.labels = labels
            self.labelsFile = labelsFile
            self.classes = classes
            self.confidence = confidence
            self.overlap = overlap
            self.maximumBoxes = maximumBoxes
        }

        package init(from decoder: any Swift.Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let proposal = (ModelManifest.inferredKey.flatMap { decoder.userInfo[$0] as? ModelManifest })?.detection
            let kind = try container.decodeIfPresent(Decoder.self, forKey: .decoder) ?? proposal?.decoder
            guard let kind else { throw Self.missing(.decoder, at: decoder.codingPath) }
            let output = try container.decodeIfPresent(String.self, forKey: .output) ?? proposal?.output
            guard let output else { throw Self.missing(.output, at: decoder.codingPath) }
            let inferred = proposal?.decoder == kind ? proposal : nil
            func value<Value: Decodable>(_ key: CodingKeys, _ inferred: Value?) throws -> Value? {
                try container.decodeIfPresent(Value.self, forKey: key) ?? inferred
            }
            // Once the manifest names its classes, nothing of them is inferred.
            let namesClasses = container.contains(.labels) || container.contains(.labelsFile)
            self.init(
                decoder: kind, output: output,
                strides: try value(.strides, inferred?.strides) ?? kind.usualStrides,
                labels: try value(.labels, namesClasses ? nil : inferred?.labels) ?? [],
                labelsFile: try value(.labelsFile, namesClasses ? nil : inferred?.labelsFile),
                classes: try value(.classes, inferred?.classes),
                confidence: try value(.confidence, inferred?.confidence) ?? kind.usualConfidence,
                overlap: try value(.overlap, inferred?.overlap) ?? 0.45,
                maximumBoxes: try value(.maximumBoxes, inferred?.maximumBoxes) ?? 100)
        }

        private static func missing(_ key: CodingKeys, at path: [any CodingKey]) -> DecodingError {
            .keyNotFound(key, .init(codingPath: path, debugDescription: "the section has no \"\(key.stringValue)\""))
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(decoder, forKey: .decoder)
            try container.encode(output, forKey: .output)
            if !strides.isEmpty { try container.encode(strides, forKey: .strides) }
            let isMadeUp = classes != nil && labels.first == "class_0"
            if labelsFile == nil, !isMadeUp, !labels.isEmpty { try container.encode(labels, forKey: .labels) }
            try container.encodeIfPresent(labelsFile, forKey: .labelsFile)
            try container.encodeIfPresent(classes, forKey: .classes)
            try container.encode(confidence, forKey: .confidence)
            try container.encode(overlap, forKey: .overlap)
            try container.encode(maximumBoxes, forKey: .maximumBoxes)
        }

        /// What cannot work, naming the key; nil where all is well.
        var problem: String? {
            if labels.isEmpty { return "\"detection\" has no labels" }
            if !decoder.hasCells, !strides.isEmpty {
                return "\"detection.strides\" mean nothing to \(decoder.rawValue)"
            }
            if decoder.hasCells, strides.isEmpty || !strides.allSatisfy({ (1...1024).contains($0) }) {
                return "\"detection.strides\" are to be pixels, each 1 to 1024"
            }
            if decoder == .fastestdet, strides.count != 1 { return "\"detection.strides\" of fastestdet is to be one" }
            if !(0...1).contains(confidence) { return "\"detection.confidence\" is to lie in 0…1" }
            if !(0...1).contains(overlap) { return "\"detection.overlap\" is to lie in 0…1" }
            if !(1...1000).contains(maximumBoxes) { return "\"detection.max_boxes\" is to be 1 to 1000" }
            return nil
        }
    }
}

extension ModelManifest.Detection.Decoder {
    /// The strides that the published networks of this kind have.
    package var usualStrides: [Int] {
        switch self {
        case .yolox: [8, 16, 32]
        case .fastestdet: [16]
        case .corners, .yolov5, .yolov9: []
        }
    }

    /// Whether boxes are told by their cells, so that strides are needed to read them.
    package var hasCells: Bool { !usualStrides.isEmpty }

    /// Values of a box before those of its classes.
    package var offset: Int {
        switch self {
        case .yolox, .fastestdet, .yolov5: 5
        case .corners, .yolov9: 4
        }
    }

    /// What the authors' own demonstrations show boxes from.
    package var usualConfidence: Float { self == .fastestdet ? 0.65 : 0.3 }
}
