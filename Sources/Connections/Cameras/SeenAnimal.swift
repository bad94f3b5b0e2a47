import Base
import Imaging
import Recognition
import Streams

/// An animal in one picture of a camera, with the facts that sightings need.
struct SeenAnimal: Sendable {
    /// The animal's number while the camera is connected.
    var track: Int
    var label: String
    var confidence: Double
    var region: PictureRegion
    /// The breed or species. Nil if unsure.
    var breed: Sighting.Name?
    var individual: Sighting.Name?
    /// The answer for a scan of it. Nil if more than its kind is not known.
    var agreed: AgreedAnswer?
    /// Whether a crop of it was classified.
    var isKnown: Bool

    /// The value of this picture of the animal. A large and a sure picture are both good.
    var worth: Double { confidence * (region.width * region.height).squareRoot() }
}

extension SeenAnimal {
    /// The credible animals in sight.
    ///
    /// - Parameter individual: recognises a named animal from a classified crop.
    static func all(
        in answer: FrameAnswer, ignoring regions: [PictureRegion], individual: (Classification) -> Sighting.Name?
    ) -> [SeenAnimal] {
        answer.boxes.compactMap { box in
            guard box.object.isConfirmed, box.object.isInSight, Animals.labels.contains(box.name.label) else {
                return nil
            }
            let region = box.region
            guard !regions.contains(where: { $0.contains(x: region.centreX, y: region.centreY) }) else { return nil }
            return SeenAnimal(
                track: box.object.track, label: box.name.label, confidence: Double(box.name.confidence), region: region,
                breed: box.name.kind.map {
                    Sighting.Name(label: $0.prediction.label, confidence: Double($0.prediction.confidence))
                }, individual: box.classification.flatMap(individual), agreed: box.name.agreed,
                isKnown: box.classification != nil)
        }
    }
}
