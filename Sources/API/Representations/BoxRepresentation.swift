import Base
import Encyclopaedia
import Storage

/// An animal or object in a photo, with its name.
struct BoxRepresentation: Encodable {
    /// The upper left corner and the size, as fractions (0 to 1) of the upright picture.
    let x, y, width, height: Double
    let label: String
    let name: String
    /// 0 to 1.
    let confidence: Double
    let percent: String
    /// The breed of a cat or a dog; absent for other labels, and if no breed is sure.
    let breed: PredictionRepresentation?
    /// The breeds of a cat or a dog, likeliest first; absent for other labels.
    let predictions: [PredictionRepresentation]?
    /// The species of any other animal; absent if no species is sure.
    let species: PredictionRepresentation?

    init(_ box: Box, names: LabelNames) {
        (x, y, width, height) = (box.x, box.y, box.width, box.height)
        (label, confidence, percent) = (box.label, box.confidence, box.confidence.percent)
        name = names.name(box.label, from: .box)
        // The breeds of a `cat` come from the head `cats`.
        predictions = box.predictions?.map { names.prediction($0, head: box.label + "s") }
        breed = box.isUnsureOfBreed == true ? nil : predictions?.first
        species = box.species.map { names.species($0, head: box.speciesHead ?? "zoo") }
    }
}
