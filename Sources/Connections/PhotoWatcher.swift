package import Base
package import Imaging
package import Recognition
import Storage
package import Training

/// Analyses photos for all connections. Only this type converts the recogniser's results to their terms.
package struct PhotoWatcher: Sendable {
    /// The number of breeds that are reported for a cat or a dog.
    private static let breedCount = 3
    /// Boxes of animals with at least this intersection over union show the same animal under two names.
    private static let samePlace = 0.6
    /// The most animals of a photo that are compared with the named ones. The surest come first.
    private static let maximumNames = 20

    package let recogniser: Recogniser
    /// Recognises individuals. Nil if learning is off.
    private let individuals: IndividualService?

    package init(recogniser: Recogniser, individuals: IndividualService? = nil) {
        self.recogniser = recogniser
        self.individuals = individuals
    }

    /// The same animals and objects as `POST /detect`, each under its surest name.
    ///
    /// - Parameters:
    ///   - namesPets: whether to recognise individuals, which takes about 10 ms per animal.
    /// - Throws: `ImagingError` if the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func things(
        in photo: [UInt8], namesPets: Bool = false, options: DetectionOptions = DetectionOptions()
    ) async throws -> SeenPhoto {
        let detection = try await recogniser.detect(photo, options: options)
        var seen = SeenPhoto(
            image: detection.image, things: Self.things(of: detection.boxes), modelName: detection.modelName,
            modelVersion: detection.modelVersion, timing: detection.timing)
        if namesPets { try await name(&seen, in: photo, priority: options.priority, deadline: options.deadline) }
        return seen
    }

    /// The same animals as `POST /classify?animals=always`, and what the whole photo shows.
    ///
    /// - Throws: `ImagingError` if the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func animals(
        in photo: [UInt8], namesPets: Bool = false, options: ClassificationOptions = ClassificationOptions()
    ) async throws -> SeenPhoto {
        var options = options
        options.animals = .always
        let answer = try await recogniser.classify(photo, options: options)
        let isAnimal = ["cats", "dogs", "zoo"].contains(answer.head) && answer.person == nil && !answer.abstained
        let whole = isAnimal ? answer.predictions(1).first : nil
        var seen = SeenPhoto(
            image: answer.image, things: Self.things(of: answer.animals ?? []),
            whole: whole.map { RegionName.Kind(head: answer.head, prediction: $0) }, modelName: answer.modelName,
            modelVersion: answer.modelVersion, timing: answer.timing)
        if namesPets { try await name(&seen, in: photo, priority: options.priority, deadline: options.deadline) }
        return seen
    }

    /// With a low threshold an animal has one box for each possible name. Only the surest is reported.
    private static func things(of boxes: [DetectedBox]) -> [SeenThing] {
        boxes.reduce(into: []) { things, box in
            let isSecondName =
                Animals.labels.contains(box.label)
                && things.contains { $0.isAnimal && $0.region.overlap(with: box.region) > samePlace }
            guard !isSecondName else { return }
            things.append(
                SeenThing(
                    region: box.region, label: box.label, confidence: Double(box.confidence),
                    breeds: box.breeds?.listed(breedCount) ?? [],
                    kind: box.name.kind))
        }
    }

    /// Recognises each animal. A single animal is also recognised by the whole photo, since names are learnt from whole
    /// photos.
    private func name(
        _ seen: inout SeenPhoto, in photo: [UInt8], priority: Priority, deadline: ContinuousClock.Instant?
    ) async throws {
        let animals = Array(seen.things.indices.filter { seen.things[$0].isAnimal }.prefix(Self.maximumNames))
        guard let individuals, !individuals.status.names.isEmpty, !animals.isEmpty else { return }
        let models = try await recogniser.frameModels(nil, detects: false)
        let options = FrameOptions(priority: priority, deadline: deadline)
        let whole = recogniser.result(of: try await recogniser.infer(.file(photo), with: models, options: options))
        let image = seen.image
        let parts = animals.map {
            FramePart(
                region: seen.things[$0].region.square(
                    margin: RegionNames.margin, inWidth: image.width, height: image.height))
        }
        let closer = try await recogniser.classify(
            parts, of: whole.frame, from: .file(photo), with: models, options: options)
        for (index, part) in zip(animals, closer) {
            let looks = animals.count == 1 ? [part.classification, whole.classification] : [part.classification]
            seen.things[index].individual =
                looks.compactMap { individuals.answer(to: $0) }
                .compactMap { answer in
                    answer.name.map { Prediction(label: $0, confidence: Float(answer.confidence)) }
                }
                .max { $0.confidence < $1.confidence }
        }
    }
}

/// An animal or object in a photo.
package struct SeenThing: Sendable, Equatable {
    /// In fractions of the upright picture.
    package let region: PictureRegion
    /// The detector's label, such as `cat` or `traffic light`.
    package let label: String
    package let confidence: Double
    /// The breeds of a cat or a dog, the likeliest first. Empty for all else.
    package var breeds: [Prediction] = []
    /// The breed, or the species of another animal. Nil if unsure.
    package var kind: RegionName.Kind?
    /// The animal's own name, given by people. Nil for an unknown animal.
    package var individual: Prediction?

    package var isAnimal: Bool { Animals.labels.contains(label) }
}

/// The content of a photo, in the terms of other programs.
package struct SeenPhoto: Sendable {
    package let image: ImageInfo
    /// The surest first.
    package var things: [SeenThing]
    /// What the whole photo shows. Nil if it is no known animal, or was not classified.
    package var whole: RegionName.Kind?
    package let modelName: String
    package let modelVersion: String
    package let timing: Timing
}
