import Base
import History
import Imaging
import Recognition

/// The answer of `POST /detect` for one photo.
struct DetectionRepresentation: Encodable {
    /// The size of the upright picture in pixels. Boxes are fractions of it.
    let width: Int
    let height: Int
    let boxes: [BoxRepresentation]
    let model: ScanRepresentation.Model
    let image: ScanRepresentation.Image
    let timing: ScanRepresentation.Timing

    /// The number of breeds for a cat or a dog.
    static let breedCount = 3

    init(_ detection: Detection, names: LabelNames) {
        width = detection.image.width
        height = detection.image.height
        boxes = detection.boxes.map { BoxRepresentation(Box($0), names: names) }
        model = ScanRepresentation.Model(name: detection.modelName, version: detection.modelVersion)
        image = ScanRepresentation.Image(ScanImage(detection.image))
        timing = ScanRepresentation.Timing(detection.timing.rounded)
    }

    /// The drawings for the picture: each box with its name, its breed or species, and the confidence. The box with the
    /// highest confidence comes last, on top.
    var annotations: [Annotation] {
        let labels = Set(boxes.map(\.label)).sorted()
        return boxes.reversed().map { box in
            let percent = LabelNames.percent(box.confidence)
            let kind = box.breed.map { "\($0.name) \($0.percent)" }
            let species = box.species.map { "\($0.name) \($0.percent)" }
            return Annotation(
                region: PictureRegion(x: box.x, y: box.y, width: box.width, height: box.height),
                text: kind.map { "\(box.name) \(percent): \($0)" } ?? species ?? "\(box.name) \(percent)",
                colour: labels.firstIndex(of: box.label) ?? 0)
        }
    }
}

extension Box {
    init(_ box: DetectedBox) {
        self.init(
            x: Self.rounded(box.region.x), y: Self.rounded(box.region.y), width: Self.rounded(box.region.width),
            height: Self.rounded(box.region.height), label: box.label, confidence: Self.rounded(Double(box.confidence)),
            predictions: box.breeds?.listed(DetectionRepresentation.breedCount).map(\.rounded),
            species: box.name.species?.prediction.rounded, speciesHead: box.name.species?.head,
            isUnsureOfBreed: box.breeds == nil || box.name.isSureOfBreed ? nil : true)
    }

    /// Four decimals are half a pixel of the largest photos.
    private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
