import Base
import Imaging
import Recognition
import Storage
import Streams

/// The answer of `POST /detect` for one photo.
struct DetectionRepresentation: Encodable {
    /// The size of the upright picture in pixels. Boxes are fractions of it.
    let width, height: Int
    let boxes: [BoxRepresentation]
    let model: ScanModel
    let image: ScanImage
    let timing: Timing

    init(_ detection: Detection, names: LabelNames) {
        width = detection.image.width
        height = detection.image.height
        boxes = detection.boxes.map { BoxRepresentation(Box($0), names: names) }
        model = ScanModel(name: detection.modelName, version: detection.modelVersion)
        image = ScanImage(detection.image)
        timing = detection.timing.rounded
    }

    /// The drawings for the picture: each box with its name, its breed or species, and the confidence. The box with the
    /// highest confidence comes last, on top.
    var annotations: [Annotation] {
        let labels = Set(boxes.map(\.label)).sorted()
        return boxes.reversed().map { box in
            let kind = box.breed.map { "\($0.name) \($0.percent)" }
            let species = box.species.map { "\($0.name) \($0.percent)" }
            return Annotation(
                region: PictureRegion(x: box.x, y: box.y, width: box.width, height: box.height),
                text: kind.map { "\(box.name) \(box.percent): \($0)" } ?? species ?? "\(box.name) \(box.percent)",
                colour: labels.firstIndex(of: box.label) ?? 0)
        }
    }
}
