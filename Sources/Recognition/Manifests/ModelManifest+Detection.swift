import Base

extension ModelManifest {
    /// The way to read boxes from the output of a network of ``Task/detection``.
    package struct Detection: Codable, Sendable, Equatable {
        /// The arrangement of the output's values.
        package enum Decoder: String, Codable, Sendable, CaseIterable {
            /// Cells × (4 + 1 + classes), stride by stride, row by row: offset of the centre from the cell and
            /// logarithm of the size, both in strides; probability of an object; probabilities of the classes (Ge et
            /// al., "YOLOX", arXiv 2107.08430).
            case yolox
            /// (1 + 4 + classes) × rows × columns of one stride: probability of an object; centre through tanh, from
            /// the cell's corner, in cells; size through the logistic function, as a share of the picture;
            /// probabilities of the classes (FastestDet, dog-qiuqiu/FastestDet `utils/tool.py`).
            case fastestdet
            /// Boxes × (4 + classes): left, top, right and bottom in pixels of the network's picture; probabilities of
            /// the classes. It suits all networks that output finished boxes.
            case corners
            /// Boxes × (4 + 1 + classes): centre and size in pixels of the network's picture; probability of an object;
            /// probabilities of the classes. YOLOv5 exports this form, and so does MegaDetector 5 (ultralytics/yolov5
            /// `models/yolo.py`).
            case yolov5
            /// (4 + classes) × boxes: planes of centre and size in pixels, and of the probabilities of the classes.
            /// YOLOv8, YOLOv9, YOLO11 and MegaDetector 1000 export this form (ultralytics `nn/modules/head.py`).
            case yolov9

            /// The forms of published networks, which the shape of the output identifies.
            package static let published: [Decoder] = [.yolox, .fastestdet]
        }

        package let decoder: Decoder
        /// The name of the tensor.
        package let output: String
        /// The sizes of cells in pixels of the network's picture, finest first. Empty if the output holds whole boxes.
        package var strides: [Int] = []
        /// Class names in the order of the output's values.
        package var labels: [String] = []
        /// A file inside the folder with one label a line, in place of ``labels``.
        package var labelsFile: String?
        /// The number of classes if nothing names them. They are then `class_0`, `class_1` …
        package var classes: Int?
        /// The default for the least confidence of a box, 0…1.
        package var confidence: Float = 0.3
        /// The intersection over union, 0…1, above which only the more confident box of a class stays.
        package var overlap = 0.45
        /// The most boxes of one picture. The most confident ones stay.
        package var maximumBoxes = 100

        private enum CodingKeys: String, CodingKey {
            case decoder, output, strides, labels, classes, confidence, overlap
            case labelsFile = "labels_file"
            case maximumBoxes = "max_boxes"
        }
    }
}

extension ModelManifest.Detection {
    package init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let proposal = decoder.inferredManifest?.detection
        guard let kind = try container.optional(.decoder, proposal?.decoder) else {
            throw Self.missing(.decoder, at: decoder.codingPath)
        }
        guard let output = try container.optional(.output, proposal?.output) else {
            throw Self.missing(.output, at: decoder.codingPath)
        }
        let inferred = proposal?.decoder == kind ? proposal : nil
        // Nothing about classes is inferred if the manifest names them.
        let namesClasses = container.contains(.labels) || container.contains(.labelsFile)
        self.init(
            decoder: kind, output: output,
            strides: try container.optional(.strides, inferred?.strides) ?? kind.usualStrides,
            labels: try container.optional(.labels, namesClasses ? nil : inferred?.labels) ?? [],
            labelsFile: try container.optional(.labelsFile, namesClasses ? nil : inferred?.labelsFile),
            classes: try container.optional(.classes, inferred?.classes),
            confidence: try container.optional(.confidence, inferred?.confidence) ?? kind.usualConfidence,
            overlap: try container.optional(.overlap, inferred?.overlap) ?? 0.45,
            maximumBoxes: try container.optional(.maximumBoxes, inferred?.maximumBoxes) ?? 100)
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

    /// The problem that makes the detection unusable, with its key. Nil if there is none.
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

extension ModelManifest.Detection.Decoder {
    /// The strides of the published networks of this kind.
    package var usualStrides: [Int] {
        switch self {
        case .yolox: [8, 16, 32]
        case .fastestdet: [16]
        case .corners, .yolov5, .yolov9: []
        }
    }

    /// Whether boxes are relative to cells, so that strides are needed to read them.
    package var hasCells: Bool { !usualStrides.isEmpty }

    /// The number of values of a box before those of its classes.
    package var offset: Int {
        switch self {
        case .yolox, .fastestdet, .yolov5: 5
        case .corners, .yolov9: 4
        }
    }

    /// The confidence from which the authors' own demonstrations show boxes.
    package var usualConfidence: Float { self == .fastestdet ? 0.65 : 0.3 }
}
