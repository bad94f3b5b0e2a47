import Base
package import Foundation
package import Learning
package import Recognition
package import Storage

/// Answers "Who is this?" for animals that people named in the history. It learns again in the background when names
/// change. It stores only features of photos; everything else follows from the history.
package final class IndividualService: Sendable {
    package typealias Quality = IndividualClassifier.Quality

    /// The known names, and the state of learning.
    package struct Status: Sendable {
        /// The state of the classifier of named animals.
        package enum State: String, Sendable {
            /// No animal has a name.
            case empty
            case learning, ready, failed
        }

        package var state = State.empty
        /// The known names, sorted.
        package var names: [String] = []
        package var quality: Quality?
        /// `name@version` of the model whose features are used.
        package var base: String?
        package var learntAt: Date?
        package var problem: String?
    }

    private struct State {
        var status = Status()
        var classifier: IndividualClassifier?
        var isStopped = false
        /// The last answering version that is not the base of the known features.
        var lastStranger: String?
        /// Whether names changed since the current run began.
        var isStale = false
        var running: Task<Void, Never>?
    }

    /// The most photos of named animals to use. The newest come first.
    private static let maximumPhotos = 1_000
    /// The most photos of unnamed animals, newest first, that serve as examples of strangers.
    private static let maximumStrangers = 200
    private static let maximumCandidates = 3
    /// The wait before learning, so that a burst of changes causes one run.
    private static let delay = Duration.milliseconds(200)
    /// The wait before learning again if the history was out of reach.
    private static let pause = Duration.seconds(5)

    private let recogniser: Recogniser
    private let history: HistoryStore
    private let cache: FeatureCache
    private let limits: TrainingLimits
    private let cores: Int
    private let state = Locked(State())

    /// Knows no animal before ``refresh()`` or ``learn()``.
    package init(
        recogniser: Recogniser, history: HistoryStore, cache: FeatureCache, limits: TrainingLimits, cores: Int
    ) {
        self.recogniser = recogniser
        self.history = history
        self.cache = cache
        self.limits = limits
        self.cores = cores
    }

    package var status: Status {
        state.withLock { state in
            var status = state.status
            // Learning begins later, but a user who has just named an animal must not be told that it is known.
            if state.running != nil, !state.isStopped { status.state = .learning }
            return status
        }
    }

    /// The individual. Nil if no animal has a name, or if the answer is from another model than the known features.
    package func answer(to classification: Classification) -> LearntAnswers.Individual? {
        let known = state.withLock { state in
            state.classifier.map { (classifier: $0, status: state.status) }
        }
        guard let known, let features = classification.features else { return nil }
        let version = "\(classification.modelName)@\(classification.modelVersion)"
        guard known.status.base == version else {
            if classification.modelName == recogniser.defaultModel, isNews(version) { refresh() }
            return nil
        }
        let probabilities = known.classifier.probabilities(of: features)
        let names = known.status.names
        let ranked = names.indices.sorted { (probabilities[$1], names[$0]) < (probabilities[$0], names[$1]) }
        let none = probabilities.last ?? 1
        let best = ranked.first.map { probabilities[$0] } ?? 0
        return LearntAnswers.Individual(
            name: best > none ? ranked.first.map { names[$0] } : nil, confidence: max(best, none),
            candidates: ranked.prefix(Self.maximumCandidates).map {
                Prediction(label: names[$0], confidence: Float(probabilities[$0]))
            })
    }

    /// Whether the answering version of the default model is new here. The default may have changed, and the names must
    /// be learnt again from its features. True once for each version, because a request may also ask for an older one.
    private func isNews(_ version: String) -> Bool {
        state.withLock { exchange(&$0.lastStranger, with: version) != version }
    }

    /// Learns the names again, here and in the other processes.
    package func changed() {
        refresh()
        let history = history
        Task { await history.notify(.individuals) }
    }

    /// Learns the names again soon. The old state answers until then.
    package func refresh() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStale = true
            guard state.running == nil else { return }
            state.running = Task { await self.run() }
        }
    }

    /// Ends the current run.
    func stop() async {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.cancel()
        await running?.value
    }

    private func run() async {
        while state.withLock({ state in
            guard state.isStale, !state.isStopped else {
                state.running = nil
                return false
            }
            return true
        }) {
            try? await Task.sleep(for: Self.delay)
            state.withLock { $0.isStale = false }
            do {
                try await learn()
            } catch {
                state.withLock { state in
                    guard !(error is CancellationError) else { return }
                    state.status.state = .failed
                    state.status.problem = TrainingFailure(error).detail
                }
                if let error = error as? HistoryError, error.mayPass {
                    try? await Task.sleep(for: Self.pause)
                    state.withLock { $0.isStale = true }
                }
            }
        }
    }

    /// Learns the names before it returns.
    ///
    /// - Throws: `HistoryError`, `RecognitionError`, or `CancellationError`.
    package func learn() async throws {
        let named = try await PhotoSource(history, .individuals, limits: limits, count: Self.maximumPhotos)
        guard !named.catalogue.photos.isEmpty else {
            state.withLock { state in
                state.status = Status()
                state.classifier = nil
            }
            return
        }
        let others = try await PhotoSource(history, .strangers, limits: limits, count: Self.maximumStrangers)
        let reference = try ModelReference(recogniser.defaultModel)
        let (known, unknown, base) = try await recogniser.models.withModel(reference) { [self] model in
            guard model.hasFeatures else {
                throw RecognitionError.noFeatures(model.manifest.name, reason: "it answers none beside its heads")
            }
            func extractor(_ views: [PictureView]) -> FeatureExtractor {
                FeatureExtractor(recogniser: recogniser, model: model, views: views, cache: cache, workers: cores)
            }
            let known = try await extractor([.plain, .mirror, .crop]).run(named) { _ in }
            let unknown = try await extractor([.plain]).run(others) { _ in }
            return (known, unknown, model.manifest.reference.description)
        }
        try await fit(named.catalogue.photos, known, unknown, base: base)
    }

    private func fit(
        _ photos: [TrainingPhoto], _ known: [Result<FeatureExtractor.Seen, SkipReason>],
        _ unknown: [Result<FeatureExtractor.Seen, SkipReason>], base: String
    ) async throws {
        var seen: [(name: String, photo: FeatureExtractor.Seen)] = []
        var digests: Set<ContentDigest> = []
        for case (let photo, .success(let photoSeen)) in zip(photos, known) {
            // A photo that was scanned twice would recognise itself.
            guard digests.insert(photoSeen.digest).inserted else { continue }
            seen.append((photo.label, photoSeen))
        }
        let strangers = unknown.compactMap { try? $0.get() }.filter { !digests.contains($0.digest) }
            .map { $0.features[0] }
        let names = Set(seen.map(\.name)).sorted()
        let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        let owners = seen.map { places[$0.name] ?? 0 }
        let views = seen.map(\.photo.features)
        let classifier = try await BackgroundThread.run {
            IndividualClassifier(views, owners: owners, count: names.count, strangers: strangers)
        }
        state.withLock { state in
            state.classifier = names.isEmpty ? nil : classifier
            state.status = Status(
                state: names.isEmpty ? .empty : .ready, names: names, quality: classifier.quality, base: base,
                learntAt: Date(), problem: nil)
        }
    }
}
