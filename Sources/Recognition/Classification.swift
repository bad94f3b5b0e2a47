package import Base
package import Imaging

/// What the caller may choose for one photo.
package struct ClassificationOptions: Sendable, Equatable {
    /// How the photo is brought to the network's square; nil: as the model's manifest says.
    package var crop: CropPolicy?
    /// Who goes first when photos wait.
    package var priority: Priority
    /// When the answer is no longer wanted; nil: never.
    package var deadline: ContinuousClock.Instant?
    /// A head that is to answer whatever presence says; nil: the one that fits.
    package var head: String?
    /// Heads that the model must have, or it is the wrong one.
    package var requiredHeads: [String]
    /// The copy to make of the photo for keeping; nil: none.
    package var copy: StoredCopy?
    /// Whether the mirrored photo has a say too: the answer is the mean of both, at twice the inference.
    package var usesMirror: Bool
    /// Whether a detector is asked what animals there are.
    package var animals: AnimalSearch

    /// A copy for keeping: upright, of bounded size.
    package struct StoredCopy: Sendable, Equatable {
        /// Whether place, time and camera stay in it.
        package var keepsMetadata: Bool

        package init(keepsMetadata: Bool = false) {
            self.keepsMetadata = keepsMetadata
        }
    }

    package init(
        crop: CropPolicy? = nil, priority: Priority = .interactive, deadline: ContinuousClock.Instant? = nil,
        head: String? = nil, requiredHeads: [String] = [], copy: StoredCopy? = nil, usesMirror: Bool = false,
        animals: AnimalSearch = .never
    ) {
        self.animals = animals
        self.copy = copy
        self.usesMirror = usesMirror
        self.requiredHeads = requiredHeads
        self.crop = crop
        self.priority = priority
        self.deadline = deadline
        self.head = head
    }
}

/// The answer for one photo.
package struct Classification: Sendable {
    /// Size, format, orientation and checksum of the photo.
    package let image: ImageInfo
    /// Every head of the model: presence, cats, dogs, zoo, objects, fruit.
    package let heads: [HeadAnswer]
    /// Name of the head that answers.
    package let head: String
    /// `cat`, `dog`; for the zoo its likeliest species; `other` for the rest.
    package let species: String
    /// The answer should not be relied on: its first label is less likely than the head's `abstain_below` in the
    /// manifest, or the caller asked for a head that presence contradicts.
    package let abstained: Bool
    package let modelName: String
    package let modelVersion: String
    package internal(set) var timing: Timing
    /// The 1,280 pooled features where the model has an output of that name; for transfer learning and likeness.
    package let features: [Float]?
    /// The copy for keeping, where one was asked for. Made along with the decoding: to hand the photo to a thread once
    /// more would cost as much as most copies do.
    package internal(set) var storedCopy: [UInt8]?
    /// The person that a detector found where the classifier saw no more than what people wear or hold; it comes first in
    /// the answer. nil where nobody looked for one, too: a person that the network itself sees has no box.
    package let person: DetectedBox?
    /// The animals that a detector found, each with its breed where it is a cat or a dog, the surest first; nil where nobody
    /// looked.
    package internal(set) var animals: [DetectedBox]?

    let decision: Decision
    let output: ModelOutput

    /// The answering head's likeliest labels that are above zero per cent. A person comes before them, and they share
    /// what the person leaves.
    package func predictions(_ count: Int) -> [Prediction] {
        let answer = answer(of: head)
        guard let confidence = person?.confidence ?? decision.person else { return answer?.listed(count) ?? [] }
        let others = (answer?.listed(count) ?? []).map {
            Prediction(label: $0.label, confidence: $0.confidence * (1 - confidence))
        }
        let first = Prediction(label: person?.label ?? Decision.person, confidence: confidence)
        return Array(([first] + others.filter(\.isAboveZero)).prefix(count))
    }

    /// What one head says; nil when the model does not have it.
    package func answer(of head: String) -> HeadAnswer? {
        heads.first { $0.name == head }
    }

    /// cat, dog and other with their probabilities, in the manifest's order; empty for models without that head.
    package var presence: [Prediction] {
        guard let answer = answer(of: "presence") else { return [] }
        return zip(answer.labels, answer.probabilities).map { Prediction(label: $0, confidence: $1) }
    }

    /// The sentence that goes above the predictions.
    package func message(in language: Language) -> String {
        Message.text(for: decision, animals: animals?.count ?? 0, in: language)
    }
}
