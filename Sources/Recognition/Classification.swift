package import Base
package import Imaging
import Learning

/// A caller's options for one photo.
package struct ClassificationOptions: Sendable, Equatable {
    /// The way to fit the photo into the network's square. Nil follows the model's manifest.
    package var crop: CropPolicy?
    /// The priority among waiting photos.
    package var priority: Priority
    /// The time after which the answer is not wanted any more. Nil sets none.
    package var deadline: ContinuousClock.Instant?
    /// A head that must answer, whatever presence says. Nil takes the head that fits.
    package var head: String?
    /// Heads that the model must have. Otherwise it is the wrong model.
    package var requiredHeads: [String]
    /// The copy to make for storing. Nil makes none.
    package var copy: StoredCopy?
    /// Whether to average the answer with that for the mirrored photo, at twice the inference.
    package var usesMirror: Bool
    package var animals: AnimalSearch

    /// A copy for storing: upright, of bounded size.
    package struct StoredCopy: Sendable, Equatable {
        /// Whether the copy keeps place, time and camera.
        package var keepsMetadata: Bool

        package init(keepsMetadata: Bool = false) { self.keepsMetadata = keepsMetadata }
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
    /// The size, format, orientation and checksum of the photo.
    package let image: ImageInfo
    /// Every head of the model: presence, cats, dogs, zoo, objects, fruit.
    package let heads: [HeadAnswer]
    /// The name of the head that answers.
    package let head: String
    /// `cat`, `dog`, the likeliest species for the zoo, or `other`.
    package let species: String
    /// Whether the answer is unreliable: its first label is less likely than the head's `abstain_below` in the
    /// manifest, the caller asked for a head that presence contradicts, or the photo is unlike all that a trained model
    /// learnt.
    package let abstained: Bool
    package let modelName: String
    package let modelVersion: String
    package internal(set) var timing: Timing
    /// The 1,280 pooled features if the model has an output of that name. They serve transfer learning and similarity.
    package let features: [Float]?
    /// The requested copy for storing. It is made together with the decoding, because handing the photo to a thread
    /// again would cost as much as most copies.
    package internal(set) var storedCopy: [UInt8]?
    /// The person that a detector found when the classifier saw only things that people wear or hold. It comes first in
    /// the answer. Nil if no detector ran; a person that the network itself sees has no box.
    package let person: DetectedBox?
    /// The animals that a detector found, most confident first. Cats and dogs have a breed. Nil if no detector ran.
    package internal(set) var animals: [DetectedBox]?

    let decision: Decision
    let output: ModelOutput

    /// The person and the animals. Nil if no detector ran.
    package var boxes: [DetectedBox]? {
        person == nil && animals == nil ? nil : [person].compactMap(\.self) + (animals ?? [])
    }

    /// The answering head's likeliest labels above zero per cent. A person comes before them, and they share the
    /// remaining probability.
    package func predictions(_ count: Int) -> [Prediction] {
        let answer = answer(of: head)
        guard let confidence = person?.confidence ?? decision.person else { return answer?.listed(count) ?? [] }
        let others = (answer?.listed(count) ?? []).map {
            Prediction(label: $0.label, confidence: $0.confidence * (1 - confidence))
        }
        let first = Prediction(label: person?.label ?? Decision.person, confidence: confidence)
        return Array(([first] + others.filter(\.isAboveZero)).prefix(count))
    }

    /// The answer of one head. Nil if the model does not have it.
    package func answer(of head: String) -> HeadAnswer? { heads[head] }

    /// cat, dog and other with their probabilities, in the manifest's order. Empty for models without that head.
    package var presence: [Prediction] {
        guard let answer = answer(of: "presence") else { return [] }
        return zip(answer.labels, answer.probabilities).map { Prediction(label: $0, confidence: $1) }
    }

    /// The sentence above the predictions.
    package func message(in language: Language) -> String {
        Message.text(for: decision, animals: animals?.count ?? 0, in: language)
    }
}

extension Classification {
    /// Interprets a network's outputs by the model's manifest.
    init(image: ImageInfo, output: ModelOutput, model: LoadedModel, requestedHead: String?, timing: Timing) {
        let (answers, decided) = model.heads.decide(on: output, requested: requestedHead)
        var decision = decided
        let first = answers[decision.head]?.first?.label
        let features = model.featuresOutput.map { output.values[$0] }
        if let features, let classMeans = model.classMeans, classMeans.isFar(features) { decision.abstained = true }
        self.init(
            image: image, heads: answers, head: decision.head,
            species: decision.head == "zoo" && !decision.isEmpty ? first ?? "other" : decision.presence ?? "other",
            abstained: decision.abstained, modelName: model.manifest.name,
            modelVersion: model.manifest.version, timing: timing, features: features, person: nil, decision: decision,
            output: output)
    }

    /// The same photo, answered with a person in it.
    ///
    /// - Parameter timing: the additional time of the detection.
    func naming(_ person: DetectedBox, timing detection: Timing?) -> Classification {
        let decision = Decision(personInsteadOf: decision)
        return Classification(
            image: image, heads: heads, head: decision.head, species: "other", abstained: decision.abstained,
            modelName: modelName, modelVersion: modelVersion, timing: detection.map(timing.adding) ?? timing,
            features: features, storedCopy: storedCopy, person: person, decision: decision, output: output)
    }

    /// The same photo, answered with what all pictures of its animal say. Unchanged if these say no more than its kind,
    /// or if the model lacks that head.
    package func agreeing(with agreed: AgreedAnswer?) -> Classification {
        guard let agreed, let answer = answer(of: agreed.head)?.agreeing(with: agreed.predictions) else { return self }
        let isSame = head == agreed.head && predictions(1).first?.label == answer.first?.label
        let decision = Decision(agreed, isApproximate: isSame ? decision.isApproximate : agreed.head == "zoo")
        return Classification(
            image: image, heads: heads.map { $0.name == answer.name ? answer : $0 }, head: agreed.head,
            species: agreed.head == "zoo" ? answer.first?.label ?? "other" : decision.presence ?? "other",
            abstained: decision.abstained, modelName: modelName, modelVersion: modelVersion, timing: timing,
            features: features, storedCopy: storedCopy, person: nil, animals: animals, decision: decision,
            output: output)
    }
}
