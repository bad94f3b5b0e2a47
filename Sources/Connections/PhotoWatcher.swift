import Base
import Imaging
package import Recognition
package import Training

/// Looks at photos for all connections: the one place that knows what the recogniser calls what it sees.
package struct PhotoWatcher: Sendable {
    /// Breeds that are told of a cat or a dog.
    private static let breedCount = 3
    /// Intersection over union from which on two boxes of animals show one animal under two names.
    private static let samePlace = 0.6
    /// Animals of one photo whose names are looked for, the surest.
    private static let maximumNames = 20
    /// What is added around a box before it is asked who it is, as a share of its longer side.
    private static let margin = 0.1

    package let recogniser: Recogniser
    /// Who is who; nil: nobody has a name.
    private let individuals: IndividualService?

    package init(recogniser: Recogniser, individuals: IndividualService? = nil) {
        self.recogniser = recogniser
        self.individuals = individuals
    }

    /// What `POST /detect` finds, each thing under its surest name.
    ///
    /// - Parameters:
    ///   - namesPets: whether animals are asked who they are, which takes about 10 ms for each.
    /// - Throws: `ImagingError` when the photo is at fault, `RecognitionError`, or `CancellationError`.
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

    /// The animals of a photo as `POST /classify?animals=always` lists them, and what it shows as a whole.
    ///
    /// - Throws: `ImagingError` when the photo is at fault, `RecognitionError`, or `CancellationError`.
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
            whole: whole.map { SeenKind(head: answer.head, answer: $0) }, modelName: answer.modelName,
            modelVersion: answer.modelVersion, timing: answer.timing)
        if namesPets { try await name(&seen, in: photo, priority: options.priority, deadline: options.deadline) }
        return seen
    }

    /// Where few doubts are allowed an animal has a box for each name that it may have; only the surest is told.
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
                    kind: box.name.kind.map { SeenKind(head: $0.head, answer: $0.prediction) }))
        }
    }

    /// Asks each animal who it is. Where there is one, the photo as a whole is asked as well: names are learnt from whole
    /// photos.
    private func name(
        _ seen: inout SeenPhoto, in photo: [UInt8], priority: Priority, deadline: ContinuousClock.Instant?
    ) async throws {
        let animals = Array(seen.things.indices.filter { seen.things[$0].isAnimal }.prefix(Self.maximumNames))
        guard let individuals, !individuals.status.names.isEmpty, !animals.isEmpty else { return }
        let models = try await recogniser.frameModels(nil, detects: false)
        let options = FrameOptions(priority: priority, deadline: deadline)
        let whole = try await recogniser.recognise(.file(photo), with: models, options: options)
        let image = seen.image
        let parts = animals.map {
            FramePart(
                region: seen.things[$0].region.square(
                    margin: Self.margin, inWidth: image.width, height: image.height))
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
