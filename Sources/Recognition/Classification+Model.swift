import Base
import Imaging
import Learning

extension Classification {
    /// Interprets a network's outputs by the model's manifest.
    init(image: ImageInfo, output: ModelOutput, model: LoadedModel, requestedHead: String?, timing: Timing) {
        let answers = model.heads.answers(to: output)
        let decision = Decision(answers: answers, heads: model.heads, requested: requestedHead)
        let first = answers.first { $0.name == decision.head }?.first?.label
        let features = model.featuresOutput.map { output.values[$0] }
        let isFar = features.map { model.classMeans?.isFar($0) ?? false } ?? false
        self.init(
            image: image, heads: answers, head: decision.head,
            species: decision.head == "zoo" && !decision.isEmpty ? first ?? "other" : decision.presence ?? "other",
            abstained: decision.abstained || isFar, modelName: model.manifest.name,
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
}
