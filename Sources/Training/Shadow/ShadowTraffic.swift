package import Base
package import Foundation
import Imaging
package import Recognition

/// Challengers beside champions: what the version that answers for a name has answered, another version of the name answers
/// as well. Its answers are counted and told, and given to nobody.
///
/// A challenger that stands on the features of the same base as the champion answers from what the champion saw, which
/// costs one product of a matrix and a vector. Any other one looks at the photo itself, at bulk priority: one photo at a
/// time, and only from a moment on at which nobody waits for an answer. Photos for which no such moment comes soon, and
/// those for which there is no room meanwhile, are left out.
package final class ShadowTraffic: Sendable {
    /// What the challenger made of one photo.
    package struct Outcome: Sendable {
        /// Whether the challenger said the same as the model that answered.
        package enum Kind: String, Sendable, CaseIterable {
            case agreed, differed
            /// There was no room.
            case leftOut = "left_out"
            case failed
        }

        /// The first label of a model, with its confidence.
        package struct Said: Sendable {
            package let version: String
            /// nil where there was no answer.
            package let label: String?
            /// 0…1.
            package let confidence: Double
        }

        /// As the request is told in the log.
        package let request: String
        package let photo: ContentDigest
        package let name: String
        package let kind: Kind
        package let champion: Said
        package let challenger: Said
        /// Why it failed.
        package let problem: String?
    }

    /// What a challenger has done since it began, or since the start of the service.
    package struct Tally: Sendable {
        package let since: Date
        package fileprivate(set) var counts: [Outcome.Kind: Int] = [:]
    }

    /// A photo that the champion has answered.
    private struct Answered: Sendable {
        let request: String
        let name: String
        let challenger: String
        let photo: [UInt8]
        let champion: Classification
    }

    private struct State {
        /// The challengers by their names.
        var challengers: [String: Challenger] = [:]
        var waiting: [Answered] = []
        var running: Task<Void, Never>?
        var isStopped = false
        var observer: (@Sendable (Outcome) -> Void)?
    }

    private struct Challenger {
        let champion: String
        let version: String
        /// Where both stand on the same features.
        let head: TrainedHead?
        var tally: Tally
    }

    /// Photos that may wait for a challenger.
    private static let room = 4
    /// How long a photo waits for a moment at which nobody waits.
    private static let patience = Duration.seconds(1)
    private static let step = Duration.milliseconds(2)

    private let folder: TrainedModelFolder
    private let recogniser: Recogniser
    private let state = Locked(State())

    /// Reads which versions are challengers; blocks.
    init(_ folder: TrainedModelFolder, recogniser: Recogniser) {
        self.folder = folder
        self.recogniser = recogniser
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.root)) ?? []
        for name in names { reload(name) }
    }

    /// - Parameter observer: is told of every photo that a challenger should have answered.
    package func observe(_ observer: @escaping @Sendable (Outcome) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// What the challenger of a name has done; nil where there is none.
    package func tally(of name: String, version: String) -> Tally? {
        state.withLock { state in
            state.challengers[name].flatMap { $0.version == version ? $0.tally : nil }
        }
    }

    /// Has the challenger, if there is one, answer as well. Returns at once.
    ///
    /// - Parameters:
    ///   - photo: as it was received.
    ///   - request: as it is told in the log.
    package func take(_ champion: Classification, photo: [UInt8], request: String) {
        let name = champion.modelName
        enum Way { case features(TrainedHead), left }
        let (version, way) = state.withLock { state -> (String, Way?) in
            guard let challenger = state.challengers[name], challenger.champion == champion.modelVersion,
                !state.isStopped
            else { return ("", nil) }
            if let head = challenger.head, champion.features != nil { return (challenger.version, .features(head)) }
            guard state.waiting.count < Self.room else { return (challenger.version, .left) }
            state.waiting.append(
                Answered(
                    request: request, name: name, challenger: challenger.version, photo: photo, champion: champion))
            if state.running == nil { state.running = Task { await self.run() } }
            return (challenger.version, nil)
        }
        switch way {
        case .features(let head):
            let answer = head.answer(to: champion.features ?? [], name: name, version: version, top: 1)
            tell(champion, request, version, .success(answer.predictions.first.map { ($0.label, $0.confidence) }))
        case .left: tell(champion, request, version, nil)
        case nil: break
        }
    }

    /// Has the version that shadows the name now be the one that answers here. Blocks.
    func reload(_ name: String) {
        let deployment = ModelStore(root: folder.root).deployment(of: name)
        guard let deployment, let champion = deployment.version, let version = deployment.shadow else {
            state.withLock { $0.challengers[name] = nil }
            return
        }
        // Without its head the challenger looks at the photo itself.
        let (theirs, ours) = (try? folder.head(of: name, champion), try? folder.head(of: name, version))
        let head = theirs?.base == ours?.base ? ours?.head : nil
        state.withLock { state in
            let tally = state.challengers[name].flatMap {
                $0.version == version && $0.champion == champion ? $0.tally : nil
            }
            state.challengers[name] = Challenger(
                champion: champion, version: version, head: head, tally: tally ?? Tally(since: Date()))
        }
    }

    /// Ends what runs.
    func stop() async {
        let running = state.withLock { state in
            state.isStopped = true
            state.waiting = []
            return state.running
        }
        running?.cancel()
        await running?.value
    }

    private func run() async {
        while true {
            let next = state.withLock { state -> Answered? in
                guard let first = state.waiting.first else {
                    state.running = nil
                    return nil
                }
                state.waiting.removeFirst()
                return first
            }
            guard let next else { return }
            var answer: Result<(String, Double)?, any Error>?
            do {
                guard try await isQuiet() else {
                    tell(next.champion, next.request, next.challenger, nil)
                    continue
                }
                let reference = ModelReference(name: next.name, version: next.challenger)
                let classification = try await recogniser.models.withModel(reference) {
                    try await recogniser.bulkAnswer(to: next.photo, by: $0)
                }
                let first = classification.answer(of: classification.head)?.first
                answer = .success(first.map { ($0.label, Double($0.confidence)) })
            } catch {
                answer = .failure(error)
            }
            if Task.isCancelled { continue }
            tell(next.champion, next.request, next.challenger, answer)
        }
    }

    /// Returns once nobody waits for an answer.
    ///
    /// - Returns: whether there was such a moment.
    private func isQuiet() async throws -> Bool {
        let start = ContinuousClock.now
        while recogniser.inFlight > 0 {
            guard .now - start < Self.patience else { return false }
            try await Task.sleep(for: Self.step)
        }
        return true
    }

    /// - Parameter answer: the challenger's; nil: there was no room for the photo.
    private func tell(
        _ champion: Classification, _ request: String, _ version: String,
        _ answer: Result<(String, Double)?, any Error>?
    ) {
        let first = champion.answer(of: champion.head)?.first
        let said = Outcome.Said(
            version: champion.modelVersion, label: first?.label, confidence: Double(first?.confidence ?? 0))
        var challenger = Outcome.Said(version: version, label: nil, confidence: 0)
        var problem: String?
        let kind: Outcome.Kind
        switch answer {
        case .success(let answer):
            challenger = Outcome.Said(version: version, label: answer?.0, confidence: answer?.1 ?? 0)
            kind = challenger.label == said.label ? .agreed : .differed
        case .failure(let error):
            problem = TrainingFailure(error).detail
            kind = .failed
        case nil: kind = .leftOut
        }
        let observer = state.withLock { state in
            if state.challengers[champion.modelName]?.version == version {
                state.challengers[champion.modelName]?.tally.counts[kind, default: 0] += 1
            }
            return state.observer
        }
        observer?(
            Outcome(
                request: request, photo: champion.image.sha256, name: champion.modelName, kind: kind, champion: said,
                challenger: challenger, problem: problem))
    }
}
