import Base
import Encyclopaedia
import History
import Imaging
import Recognition

extension NewScan {
    /// Makes a scan with the requested number of predictions, also for each requested head.
    init(_ classification: Classification, _ query: ClassifyOptions) {
        self.init(classification, top: query.top, heads: query.heads, language: query.language)
    }

    /// - Parameter requested: the heads to keep; empty for all heads of the model, nil for none.
    init(_ classification: Classification, top: Int, heads requested: [String]?, language: Language) {
        var heads: [String: [Prediction]] = [:]
        for name in requested.map({ $0.isEmpty ? classification.heads.map(\.name) : $0 }) ?? [] {
            heads[name] = classification.answer(of: name)?.listed(top).map(\.rounded)
        }
        self.init(
            species: classification.species, head: classification.head,
            predictions: classification.predictions(top).map(\.rounded), heads: heads,
            presence: Dictionary(
                uniqueKeysWithValues: classification.presence.map { ($0.label, $0.confidence.rounded4) }),
            abstained: classification.abstained, message: classification.message(in: language),
            model: ScanModel(name: classification.modelName, version: classification.modelVersion),
            image: ScanImage(classification.image), timing: classification.timing.rounded,
            boxes: Self.boxes(of: classification))
    }
}

extension NewScan {
    /// The person and the animals; nil if no detection was made.
    private static func boxes(of classification: Classification) -> [Box]? {
        guard classification.person != nil || classification.animals != nil else { return nil }
        return ([classification.person].compactMap(\.self) + (classification.animals ?? [])).map { Box($0) }
    }
}

extension ScanImage {
    init(_ image: ImageInfo) {
        self.init(
            width: image.storedWidth, height: image.storedHeight, format: image.format.rawValue,
            orientation: Int(image.orientation.rawValue), sha256: image.sha256)
    }
}

extension BinaryFloatingPoint {
    /// More than four decimals would claim too much precision. As a fraction they are half a pixel of the largest photos.
    var rounded4: Double { (Double(self) * 10_000).rounded() / 10_000 }
}
