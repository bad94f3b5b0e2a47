import Base
package import History
package import Recognition

extension LearntAnswers {
    /// The learnt answers; nil if nothing learnt can answer.
    package init?(_ training: TrainingService, to classification: Classification, top: Int) {
        let individual = training.individuals.answer(to: classification)
        let added = training.attached.answers(to: classification, top: top)
        if individual == nil, added.isEmpty { return nil }
        self.init(
            individual: individual.map { answer in
                Individual(
                    name: answer.name, confidence: answer.confidence,
                    candidates: answer.candidates.map { .init(label: $0.name, confidence: Float($0.confidence)) })
            },
            added: added.map { answer in
                AddedHead(
                    name: answer.name, version: answer.version, abstained: answer.abstained,
                    predictions: answer.predictions.map { .init(label: $0.label, confidence: Float($0.confidence)) })
            })
    }
}
