import Base
import Imaging
import Recognition
import Streams

/// An animal in one picture of a camera, as far as sightings need it.
struct SeenAnimal: Sendable {
    /// Stays with it while the camera is connected.
    var track: Int
    var label: String
    /// 0…1.
    var confidence: Double
    var region: Camera.Region
    /// The breed or species that is sure.
    var breed: Sighting.Name?
    var individual: Sighting.Name?
    /// Whether it was looked at closer.
    var isKnown: Bool

    /// A large picture of it is worth as much as a sure one.
    var worth: Double { confidence * (region.width * region.height).squareRoot() }
}

extension SeenAnimal {
    /// The animals that are in sight and no whims of the detector.
    ///
    /// - Parameter individual: who an animal is that was looked at closer.
    static func all(
        in answer: FrameAnswer, ignoring regions: [Camera.Region], individual: (Classification) -> Sighting.Name?
    ) -> [SeenAnimal] {
        answer.boxes.compactMap { box in
            guard box.object.isConfirmed, box.object.isInSight, Animals.labels.contains(box.name.label) else {
                return nil
            }
            let region = Camera.Region(
                x: box.region.x, y: box.region.y, width: box.region.width, height: box.region.height)
            let middle = (x: region.x + region.width / 2, y: region.y + region.height / 2)
            guard !regions.contains(where: { $0.contains(x: middle.x, y: middle.y) }) else { return nil }
            return SeenAnimal(
                track: box.object.track, label: box.name.label, confidence: Double(box.name.confidence), region: region,
                breed: box.name.kind.map {
                    Sighting.Name(label: $0.prediction.label, confidence: Double($0.prediction.confidence))
                }, individual: box.classification.flatMap(individual), isKnown: box.classification != nil)
        }
    }
}
