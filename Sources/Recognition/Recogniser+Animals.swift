import Base

/// When a photo that is classified is searched for its animals, which takes several times as long as to classify it.
package enum AnimalSearch: String, Sendable, Equatable, CaseIterable {
    /// The answer is about the photo as a whole.
    case never
    /// Where the classifier sees an animal: it cannot tell one from several.
    case auto
    case always
}

extension Recogniser {
    /// Kinds that are animals.
    private static let animalKinds: Set<String> = [
        "cat", "dog", "wild_cat", "wild_dog", "other_pet", "farm_animal", "bird", "other_animal",
    ]

    /// From this share of animals among the kinds on a photo is searched. Of 202 photos with several animals 200 reach it, of
    /// 25 with none of them that is nearer than a speck one.
    private static let animalShare: Float = 0.3

    /// Has a detector list the animals of a photo, as `POST /detect` would, where the options want it.
    ///
    /// - Throws: ``RecognitionError`` where animals have to be looked for and there is no detector; where they are looked for
    ///   only if the photo calls for it, the answer stands without them.
    func listingAnimals(
        in photo: [UInt8], seenAs classification: Classification, options: ClassificationOptions
    ) async throws -> Classification {
        guard options.animals == .always || options.animals == .auto && Self.showsAnimal(classification) else {
            return classification
        }
        let detection: Detection
        do {
            detection = try await search(
                photo, with: try await detector(nil), isBegun: true,
                options: DetectionOptions(limit: 100, priority: options.priority, deadline: options.deadline))
        } catch let error as RecognitionError where options.animals == .auto && error.meansNoDetector {
            return classification
        }
        var listed = classification
        listed.animals = detection.boxes.filter { Animals.labels.contains($0.label) }
        listed.timing = classification.timing.adding(detection.timing)
        return listed
    }

    /// Whether animals have a share in what kind of thing it is; of a model without kinds, whether it saw a cat or a dog.
    private static func showsAnimal(_ classification: Classification) -> Bool {
        guard let kinds = classification.answer(of: "kinds") else {
            return classification.species == "cat" || classification.species == "dog"
        }
        let share = zip(kinds.labels, kinds.probabilities).reduce(Float(0)) {
            animalKinds.contains($1.0) ? $0 + $1.1 : $0
        }
        return share >= animalShare
    }
}
