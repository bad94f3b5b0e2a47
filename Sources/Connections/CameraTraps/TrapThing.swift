package import Base
import Imaging
import Recognition

/// A box in a picture or film, stored until the whole run is finished.
package struct TrapThing: Codable, Sendable, Equatable {
    /// The detector's label, such as `cat`.
    package let label: String
    package let confidence: Double
    /// The upper left corner and the size, in fractions of the upright picture.
    package let box: [Double]
    /// The breeds or the species, the likeliest first.
    package var species: [Prediction]
    /// The frame in a film. Nil for a picture.
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
            thing.kind.map { [$0.prediction] }
            ?? (thing.isAnimal ? [Prediction(label: thing.label, confidence: Float(thing.confidence))] : [])
        self.init(
            label: thing.label, confidence: thing.confidence, x: region.x, y: region.y, width: region.width,
            height: region.height, species: thing.breeds.isEmpty ? own : thing.breeds, frame: frame)
    }
}

/// The result for one picture or film. It is a line of the file from which an interrupted run continues.
package struct TrapEntry: Codable, Sendable, Equatable {
    /// The path as the user gave it.
    package let photo: String
    /// The reason why the file could not be analysed. There are no boxes then.
    package var error: String?
    package var things: [TrapThing]?
    /// The detector as `name@version`.
    package var model: String?
    /// The film's frame rate, or -1 if the film could not be analysed. Nil for a picture.
    package var frameRate: Double?
    /// The numbers of a film's analysed frames, in ascending order.
    package var frames: [Int]?

    /// A picture or film that could not be analysed.
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

    /// Adds a frame of a film. Programs find the frame by its number and the frame rate, so the number is computed from
    /// the time.
    ///
    /// - Parameter time: seconds since the first frame.
    mutating func add(_ seen: SeenPhoto, at time: Double) {
        guard let number = Int(exactly: (time * (frameRate ?? 0)).rounded()) else { return }
        if frames?.last != number { frames?.append(number) }
        things?.append(contentsOf: seen.things.map { TrapThing($0, frame: number) })
        model = "\(seen.modelName)@\(seen.modelVersion)"
    }
}
