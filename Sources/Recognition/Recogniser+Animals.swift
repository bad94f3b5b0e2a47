import Base

/// The condition for searching a photo for animals. A search takes several times as long as the classification.
package enum AnimalSearch: String, Sendable, Equatable, CaseIterable {
    /// The answer is only about the photo as a whole.
    case never
    /// Search if the classifier sees an animal, because it cannot tell one from several.
    case auto
    case always
}

extension Recogniser {
    /// The labels of the head `kinds` that are animals.
    package static let animalKinds: Set<String> = [
        "cat", "dog", "wild_cat", "wild_dog", "other_pet", "farm_animal", "bird", "other_animal",
    ]

    /// The least share of animals among the kinds for a search. 200 of 202 photos with several animals reach it, and 1
    /// of 25 photos whose animals are at most specks.
    private static let animalShare: Float = 0.3

    /// Makes a detector list the animals of a photo, like `POST /detect`, if the options ask for it.
    ///
    /// - Throws: ``RecognitionError`` if a search is mandatory and there is no detector. With `auto`, the answer then
    ///   stands without animals.
    func listingAnimals(
        in photo: [UInt8], seenAs classification: Classification, options: ClassificationOptions
    ) async throws -> Classification {
        guard options.animals == .always || options.animals == .auto && Self.showsAnimal(classification) else {
            return classification
        }
        let detection: Detection
        do {
            detection = try await detect(
                photo, with: try await detector(nil), isBegun: true,
                options: DetectionOptions(limit: 100, priority: options.priority, deadline: options.deadline))
        } catch let error as RecognitionError where options.animals == .auto && error.meansNoDetector {
            return classification
        }
        var listed = classification
        listed.animals = Animals.distinct(detection.boxes.filter { Animals.labels.contains($0.label) })
        listed.timing = classification.timing.adding(detection.timing)
        return listed
    }

    /// Whether animals have enough share of the kinds. Without kinds, whether the model saw a cat or a dog. A drawing
    /// shows no animal.
    private static func showsAnimal(_ classification: Classification) -> Bool {
        guard classification.head != Decision.drawings else { return false }
        guard let kinds = classification.answer(of: "kinds") else {
            return classification.species == "cat" || classification.species == "dog"
        }
        let share = zip(kinds.labels, kinds.probabilities).reduce(Float(0)) {
            animalKinds.contains($1.0) ? $0 + $1.1 : $0
        }
        return share >= animalShare
    }
}
