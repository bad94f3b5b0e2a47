import Base
package import Recognition

/// Measures one or two models on labelled photos. Requests of users go first.
package struct ModelEvaluator: Sendable {
    /// The models' answers for a photo.
    private struct Answered: Sendable {
        let digest: ContentDigest
        let answers: [(label: String, abstained: Bool)]
    }

    private let recogniser: Recogniser
    private let folder: TrainedModelFolder
    private let cores: Int

    package init(recogniser: Recogniser, folder: TrainedModelFolder, cores: Int) {
        self.recogniser = recogniser
        self.folder = folder
        self.cores = max(1, cores)
    }

    /// Leaves out photos that one of the models learnt from, because a classifier remembers those.
    ///
    /// - Parameters:
    ///   - against: the model to compare with. Nil measures the first model alone.
    ///   - head: the head of the first model, and of the other if it has it. Nil takes the one that knows most classes.
    ///   - progress: receives the number of photos done and of all photos.
    /// - Throws: ``TrainingError``, ``RecognitionError``, `CancellationError`, or errors of the source.
    package func evaluate(
        _ source: PhotoSource, model: ModelReference, against: ModelReference? = nil, head: String? = nil,
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> ModelEvaluation {
        try await recogniser.models.withModel(model) { first in
            guard let against else { return try await evaluate(source, [first], head, progress) }
            return try await recogniser.models.withModel(against) { second in
                let (one, other) = (first.manifest, second.manifest)
                guard (one.name, one.version) != (other.name, other.version) else {
                    throw TrainingError.unmeasurable(
                        "Both are \(one.name)@\(one.version): name another one to compare with.")
                }
                return try await evaluate(source, [first, second], head, progress)
            }
        }
    }

    private func evaluate(
        _ source: PhotoSource, _ models: [LoadedModel], _ named: String?,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> ModelEvaluation {
        if let named, !models[0].headNames.contains(named) {
            throw RecognitionError.unknownHead(named, available: models[0].headNames)
        }
        let catalogue = source.catalogue
        let photos = catalogue.photos
        let labels = Set(photos.map(\.label))
        guard !photos.isEmpty else { throw TrainingError.noPhotos(skipped: catalogue.skipped) }
        guard labels.count <= catalogue.limits.classes else {
            throw TrainingError.tooManyClasses(labels.count, limit: catalogue.limits.classes)
        }
        let spelling = ClassSpelling(labels)
        let heads = try models.map { try head(named, of: $0, knowing: labels, spelling) }
        let manifests = models.map(\.manifest)
        let learnt = try await BackgroundThread.run { [folder] in
            manifests.map { folder.learntPhotos($0.name, $0.version) }
        }
        let results = try await source.read(atOnce: cores + 1, progress: { progress($0, photos.count) }) {
            try await answer($0, models, heads.map(\.asked), learnt, spelling)
        }

        var skipped = catalogue.skipped
        let kept = photos.keeping(results, digest: \.digest, skipped: &skipped)
        guard !kept.isEmpty else {
            throw TrainingError.unmeasurable(
                skipped.count == 1
                    ? "The only file is left out, \(skipped[0].file): \(skipped[0].reason.sentence)"
                    : "None of the \(skipped.count) files is left; the first, \(skipped[0].file): \(skipped[0].reason.sentence)"
            )
        }
        let truths = kept.map(\.photo.label)
        let difference =
            models.count < 2
            ? nil
            : ModelEvaluation.Difference(
                kept.map { ($0.photo.path, $0.photo.label) }, model: kept.map { $0.value.answers[0].label },
                against: kept.map { $0.value.answers[1].label })
        return ModelEvaluation(
            photos: kept.count,
            classes: TrainingReport.Class.counts(of: truths),
            skipped: skipped,
            models: models.indices.map { index in
                ModelEvaluation.Measured(
                    model: models[index].manifest.name, version: models[index].manifest.version,
                    head: heads[index].name, knows: heads[index].labels, truths: truths,
                    answers: kept.map { $0.value.answers[index] })
            },
            difference: difference)
    }

    private func answer(
        _ photo: [UInt8], _ models: [LoadedModel], _ heads: [String?], _ learnt: [Set<String>],
        _ spelling: ClassSpelling
    ) async throws -> Answered {
        let digest = ContentDigest(of: photo)
        if let index = learnt.firstIndex(where: { $0.contains(digest.hexadecimal) }) {
            throw SkipReason.learntFrom(by: models[index].manifest.reference.description)
        }
        var answers: [(label: String, abstained: Bool)] = []
        for (model, head) in zip(models, heads) {
            let classification = try await recogniser.backgroundAnswer(to: photo, by: model, head: head)
            let first = classification.answer(of: classification.head)?.first
            answers.append((spelling.own(first?.label ?? ""), classification.abstained))
        }
        return Answered(digest: digest, answers: answers)
    }

    /// The named head if the model has it, otherwise the one that knows most of the classes. Its name is also returned
    /// if the model must be asked for it.
    ///
    /// - Throws: ``TrainingError/unmeasurable(_:)`` if no head knows any class.
    private func head(
        _ named: String?, of model: LoadedModel, knowing labels: Set<String>, _ spelling: ClassSpelling
    ) throws -> (name: String, asked: String?, labels: Set<String>) {
        let known = model.headNames.map { name in
            (name: name, labels: Set((model.manifest.heads[name]?.labels ?? []).map(spelling.own)))
        }
        // The first of equally good heads wins.
        let best =
            known.first { $0.name == named }
            ?? known.max { $0.labels.intersection(labels).count < $1.labels.intersection(labels).count }
        guard let best, !best.labels.isDisjoint(with: labels) else {
            let classes = labels.sorted().prefix(5).map { "“\($0.prefix(80))”" }.joined(separator: ", ")
            throw TrainingError.unmeasurable(
                "\(model.manifest.reference) knows none of the classes, such as \(classes)"
                    + (best.map { $0.name == named ? ", in its head “\($0.name)”." : "." } ?? "."))
        }
        return (best.name, known.count > 1 ? best.name : nil, best.labels)
    }
}

/// Matches the class names of labelled photos to a model's: the folder `Maine Coon` is the model's class `maine_coon`.
struct ClassSpelling: Sendable {
    private let classes: Set<String>
    /// The classes by a key without case and with one kind of gap. Keys that two classes share are left out.
    private let byKey: [String: String]

    init(_ classes: Set<String>) {
        self.classes = classes
        byKey = Dictionary(grouping: classes, by: Self.key).compactMapValues { $0.count == 1 ? $0[0] : nil }
    }

    /// The photos' name of a model's label. It is the label itself if the photos have no such class.
    func own(_ label: String) -> String {
        classes.contains(label) ? label : byKey[Self.key(label)] ?? label
    }

    private static func key(_ label: String) -> String {
        String(label.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }
}
