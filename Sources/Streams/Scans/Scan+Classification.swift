package import Base
package import Imaging
package import Recognition
package import Storage

extension Scan {
    /// Makes a scan with the requested number of predictions, also for each requested head.
    ///
    /// - Parameter requested: the heads to keep; empty for all heads of the model, nil for none.
    package init(
        _ classification: Classification, id: ULID = .next(), top: Int, heads requested: [String]?, language: Language
    ) {
        var heads: [String: [Prediction]] = [:]
        for name in requested.map({ $0.isEmpty ? classification.heads.map(\.name) : $0 }) ?? [] {
            heads[name] = classification.answer(of: name)?.listed(top).map(\.rounded)
        }
        self.init(
            id: id, species: classification.species, head: classification.head,
            predictions: classification.predictions(top).map(\.rounded), heads: heads,
            // A model from outside may have a label twice.
            presence: Dictionary(classification.presence.map { ($0.label, $0.confidence.rounded4) }) { max($0, $1) },
            abstained: classification.abstained, message: classification.message(in: language),
            model: ScanModel(name: classification.modelName, version: classification.modelVersion),
            image: ScanImage(classification.image), timing: classification.timing.rounded,
            boxes: classification.boxes?.map { Box($0) })
    }
}

extension ScanImage {
    package init(_ image: ImageInfo) {
        self.init(
            width: image.storedWidth, height: image.storedHeight, format: image.format.rawValue,
            orientation: image.orientation.rawValue, sha256: image.sha256)
    }
}

extension Box {
    /// The largest number of breeds of an animal.
    package static let breedCount = 3

    package init(_ box: DetectedBox) {
        self.init(
            x: box.region.x.rounded4, y: box.region.y.rounded4, width: box.region.width.rounded4,
            height: box.region.height.rounded4, label: box.label, confidence: box.confidence.rounded4,
            predictions: box.breeds?.listed(Self.breedCount).map(\.rounded),
            species: box.name.species?.prediction.rounded, speciesHead: box.name.species?.head,
            isUnsureOfBreed: box.breeds == nil || box.name.isSureOfBreed ? nil : true)
    }
}
