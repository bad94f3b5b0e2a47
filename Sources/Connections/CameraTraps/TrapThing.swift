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

    init(_ thing: SeenThing, frame: Int? = nil) {
        let region = thing.region
        let own =
            thing.kind.map { [$0.answer] }
            ?? (thing.isAnimal ? [Prediction(label: thing.label, confidence: Float(thing.confidence))] : [])
        self.init(
            label: thing.label, confidence: thing.confidence, x: region.x, y: region.y, width: region.width,
            height: region.height, species: thing.breeds.isEmpty ? own : thing.breeds, frame: frame)
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
    /// Of a film: frames a second, -1 where it could not be looked at, and the frames that were looked at, ascending.
    package var frameRate: Double?
    package var frames: [Int]?

    /// A picture or film that could not be looked at.
    package init(photo: String, isFilm: Bool = false, error: String) {
        self.photo = photo
        self.error = error
        if isFilm { (frameRate, frames) = (-1, []) }
    }

    /// A film before its first frame.
    init(film: String, frameRate: Double) {
        self.init(photo: film, things: [])
        self.frameRate = frameRate
        frames = []
    }

    package init(photo: String, things: [TrapThing], model: String? = nil) {
        self.photo = photo
        self.things = things
        self.model = model
    }

    package init(photo: String, _ seen: SeenPhoto) {
        self.init(
            photo: photo, things: seen.things.map { TrapThing($0) }, model: "\(seen.modelName)@\(seen.modelVersion)")
    }

    /// Adds a frame of a film. Programs find it by its number and the frame rate, and so that follows from the time.
    ///
    /// - Parameter time: seconds since the first frame.
    mutating func add(_ seen: SeenPhoto, at time: Double) {
        guard let number = Int(exactly: (time * (frameRate ?? 0)).rounded()) else { return }
        if frames?.last != number { frames?.append(number) }
        things?.append(contentsOf: seen.things.map { TrapThing($0, frame: number) })
        model = "\(seen.modelName)@\(seen.modelVersion)"
    }
}
