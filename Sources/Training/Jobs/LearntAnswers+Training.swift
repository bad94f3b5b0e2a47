package import Recognition
package import Storage

extension LearntAnswers {
    /// The learnt answers; nil if nothing learnt can answer.
    package init?(_ training: TrainingService, to classification: Classification, top: Int) {
        let individual = training.individuals.answer(to: classification)
        let added = training.attached.answers(to: classification, top: top)
        if individual == nil, added.isEmpty { return nil }
        self.init(individual: individual, added: added)
    }
}
