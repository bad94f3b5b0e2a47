package import Recognition

extension TrainingService {
    /// How well a model answers labelled photos that it did not learn from, alone or beside another one.
    ///
    /// - Parameters:
    ///   - model: nil: the default model.
    ///   - head: of the model, and of the other one where it has such a head; nil: the one that knows most classes.
    ///   - progress: is told how many photos are done, and of how many.
    /// - Throws: ``TrainingError``, `RecognitionError`, `CancellationError`, or `ArchiveError` where the archive is none.
    package func evaluate(
        _ photos: LabelledPhotos, model: ModelReference?, against: ModelReference?, head: String?,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> ModelEvaluation {
        let evaluator = ModelEvaluator(
            recogniser: recogniser, folder: folder, limits: configuration.limits, cores: configuration.cores)
        return try await evaluator.evaluate(
            try await source(photos), model: try model ?? ModelReference(recogniser.defaultModel), against: against,
            head: head, progress: progress)
    }
}
