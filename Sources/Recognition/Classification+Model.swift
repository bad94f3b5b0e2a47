import Imaging

extension Classification {
    /// Reads a network's outputs by the model's manifest.
    init(image: ImageInfo, output: ModelOutput, model: LoadedModel, requestedHead: String?, timing: Timing) {
        let answers = model.heads.answers(to: output)
        let decision = Decision(answers: answers, heads: model.heads, requested: requestedHead)
        let first = answers.first { $0.name == decision.head }?.first?.label
        self.init(
            image: image, heads: answers, head: decision.head,
            species: decision.head == "zoo" ? first ?? "other" : decision.presence ?? "other",
            abstained: decision.abstained, modelName: model.manifest.name, modelVersion: model.manifest.version,
            timing: timing, features: model.featuresOutput.map { output.values[$0] }, decision: decision, output: output
        )
    }
}
