package import Base
import Imaging

/// One box of a picture or a film, as it is kept until all pictures are looked at.
package struct TrapThing: Codable, Sendable, Equatable {
    /// The detector's word, such as `cat`.
    package let label: String
    /// 0…1.
    package let confidence: Double
    /// The upper left corner and the extent, in fractions of the upright picture.
    package let box: [Double]
    /// Breeds or the species, the likeliest first.
    package let species: [Prediction]
    /// Of a film: the frame that it is in.
    package let frame: Int?

    package init(
        label: String, confidence: Double, x: Double, y: Double, width: Double, height: Double,
        species: [Prediction] = [], frame: Int? = nil
    ) {
        self.label = label
        self.confidence = confidence
        box = [x, y, width, height]
        self.species = species
        self.frame = frame
    }

    init(_ thing: SeenThing) {
        let region = thing.region
        let own =
            thing.kind.map { [$0.answer] }
            ?? (thing.isAnimal ? [Prediction(label: thing.label, confidence: Float(thing.confidence))] : [])
        self.init(
            label: thing.label, confidence: thing.confidence, x: region.x, y: region.y, width: region.width,
            height: region.height, species: thing.breeds.isEmpty ? own : thing.breeds)
    }
}

/// What there is to say of one picture or film; a line of the file that a run goes on with.
package struct TrapEntry: Codable, Sendable, Equatable {
    /// As it was named.
    package let photo: String
    /// Why it could not be looked at; then there are no things.
    package var error: String?
    package var things: [TrapThing]?
    /// `name@version` of the detector.
    package var model: String?
    /// Of a film: frames a second, and the frames that were looked at.
    package var frameRate: Double?
    package var frames: [Int]?

    /// A picture that could not be looked at.
    package init(photo: String, error: String) {
        self.photo = photo
        self.error = error
    }

    package init(photo: String, things: [TrapThing], model: String) {
        self.photo = photo
        self.things = things
        self.model = model
    }

    package init(photo: String, _ seen: SeenPhoto) {
        self.init(
            photo: photo, things: seen.things.map { TrapThing($0) }, model: "\(seen.modelName)@\(seen.modelVersion)")
    }
}
