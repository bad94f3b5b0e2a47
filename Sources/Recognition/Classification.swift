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
    package private(set) var heads: [HeadAnswer]
    /// `cat`, `dog`, the likeliest species for the zoo, or `other`.
    package private(set) var species: String
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
    package private(set) var person: DetectedBox?
    /// The animals that a detector found, most confident first. Cats and dogs have a breed. Nil if no detector ran.
    package internal(set) var animals: [DetectedBox]?

    private(set) var decision: Decision
    let output: ModelOutput

    /// The name of the head that answers.
    package var head: String { decision.head }
    /// Whether the answer is unreliable; see ``Decision/abstained``.
    package var abstained: Bool { decision.abstained }

    /// The person and the animals. Nil if no detector ran.
    package var boxes: [DetectedBox]? {
        person == nil && animals == nil ? nil : [person].compactMap(\.self) + (animals ?? [])
    }

    /// The answering head's likeliest labels above zero per cent. A person comes before them, and they share the
    /// remaining probability.
    package func predictions(_ count: Int) -> [Prediction] {
        let listed = answer(of: head)?.listed(count) ?? []
        guard let confidence = person?.confidence ?? decision.person else { return listed }
        let others = listed.map {
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
            image: image, heads: answers,
            species: decision.head == "zoo" && !decision.isEmpty ? first ?? "other" : decision.presence ?? "other",
            modelName: model.manifest.name, modelVersion: model.manifest.version, timing: timing, features: features,
            decision: decision, output: output)
    }

    /// The same photo, answered with a person in it.
    ///
    /// - Parameter timing: the additional time of the detection.
    func naming(_ person: DetectedBox, timing detection: Timing?) -> Classification {
        var named = self
        named.decision = Decision(personInsteadOf: decision)
        (named.person, named.species) = (person, "other")
        if let detection { named.timing = timing.adding(detection) }
        return named
    }

    /// The same photo, answered with what all pictures of its animal say. Unchanged if these say no more than its kind,
    /// or if the model lacks that head.
    package func agreeing(with agreed: AgreedAnswer?) -> Classification {
        guard let agreed, let answer = answer(of: agreed.head)?.agreeing(with: agreed.predictions) else { return self }
        let isSame = head == agreed.head && predictions(1).first?.label == answer.first?.label
        var agreeing = self
        agreeing.decision = Decision(agreed, isApproximate: isSame ? decision.isApproximate : agreed.head == "zoo")
        agreeing.heads = heads.map { $0.name == answer.name ? answer : $0 }
        agreeing.species = (agreed.head == "zoo" ? answer.first?.label : agreeing.decision.presence) ?? "other"
        agreeing.person = nil
        return agreeing
    }
}
