import Base
package import Foundation
import Imaging
import Logging
package import Recognition
import Storage

/// Runs challengers beside champions. The champion is the version that answers for a name. A challenger, another
/// version of the name, answers the same photos. Its answers are counted and reported but given to nobody.
///
/// A challenger on the same base as the champion reuses the champion's features, which costs one product of a matrix
/// and a vector. Any other challenger recognises the photo itself, at background priority and one photo at a time.
/// A photo is left out if no lane is free for it soon or if too many photos wait.
package final class ShadowTraffic: Sendable {
    /// Whether the challenger agreed with the champion about a photo.
    package enum Outcome: String, Sendable {
        case agreed, differed
        /// Too many photos waited.
        case leftOut = "left_out"
        case failed
    }

    /// Is called with the model's name for every photo that a challenger should have answered.
    package typealias Observer = @Sendable (_ model: String, Outcome) -> Void

    /// The challenger's results since it began, or since the service started.
    package struct Tally: Sendable {
        package let since: Date
        package fileprivate(set) var counts: [Outcome: Int] = [:]
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
        /// The challengers by model name.
        var challengers: [String: Challenger] = [:]
        var waiting: [Answered] = []
        var running: Task<Void, Never>?
        var isStopped = false
        var observer: Observer?
    }

    private struct Challenger {
        let champion: String
        let version: String
        /// The challenger's head. Nil unless champion and challenger use the same features.
        let head: TrainedHead?
        var tally: Tally
    }

    /// The most photos that may wait for a challenger.
    private static let room = 4
    /// The longest wait of a photo for a lane.
    private static let patience = Duration.seconds(1)

    private let folder: TrainedModelFolder
    private let recogniser: Recogniser
    private let logger = Logger(label: "menagerie.shadow")
    private let state = Locked(State())

    /// Reads which versions are challengers. Blocks.
    init(_ folder: TrainedModelFolder, recogniser: Recogniser) {
        self.folder = folder
        self.recogniser = recogniser
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.root)) ?? []
        for name in names { reload(name) }
    }

    package func observe(_ observer: @escaping Observer) { state.withLock { $0.observer = observer } }

    /// The results of a name's challenger. Nil if there is none.
    package func tally(of name: String, version: String) -> Tally? {
        state.withLock { state in
            state.challengers[name].flatMap { $0.version == version ? $0.tally : nil }
        }
    }

    /// Lets the challenger, if there is one, answer too. Returns at once.
    ///
    /// - Parameters:
    ///   - photo: the file as received.
    ///   - request: the id of the request in the log.
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
            report(champion, request, version, .success(answer.predictions.first))
        case .left: report(champion, request, version, nil)
        case nil: break
        }
    }

    /// Updates the challenger of a name from its deployment. Blocks.
    func reload(_ name: String) {
        let deployment = ModelStore(root: folder.root).deployment(of: name)
        guard let deployment, let champion = deployment.version, let version = deployment.shadow else {
            state.withLock { $0.challengers[name] = nil }
            return
        }
        // Without its head, the challenger must recognise the photo itself.
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

    /// Ends the current run.
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
            var answer: Result<Prediction?, any Error>?
            do {
                let reference = ModelReference(name: next.name, version: next.challenger)
                let classification = try await recogniser.models.withModel(reference) {
                    try await recogniser.backgroundAnswer(to: next.photo, by: $0, deadline: .now + Self.patience)
                }
                answer = .success(classification.answer(of: classification.head)?.first)
            } catch RecognitionError.deadlineExceeded {
                answer = nil
            } catch {
                answer = .failure(error)
            }
            if Task.isCancelled { continue }
            report(next.champion, next.request, next.challenger, answer)
        }
    }

    /// Counts the outcome for a photo, and writes it to the log.
    ///
    /// - Parameter answer: the challenger's answer. Nil if the photo was left out.
    private func report(
        _ champion: Classification, _ request: String, _ version: String, _ answer: Result<Prediction?, any Error>?
    ) {
        let name = champion.modelName
        let first = champion.answer(of: champion.head)?.first
        var metadata: Logger.Metadata = [
            "request": "\(request)", "photo": "\(champion.image.sha256)", "model": "\(name)",
            "version": "\(champion.modelVersion)", "label": "\(first?.label ?? "")",
            "confidence": "\((first?.confidence ?? 0).rounded4)", "shadow_version": "\(version)",
        ]
        let outcome: Outcome
        switch answer {
        case .success(let answer):
            outcome = answer?.label == first?.label ? .agreed : .differed
            if let answer {
                metadata["shadow_label"] = "\(answer.label)"
                metadata["shadow_confidence"] = "\(answer.confidence.rounded4)"
            }
        case .failure(let error):
            outcome = .failed
            metadata["problem"] = "\(TrainingFailure(error).detail)"
        case nil: outcome = .leftOut
        }
        metadata["outcome"] = "\(outcome.rawValue)"
        let observer = state.withLock { state in
            if state.challengers[name]?.version == version {
                state.challengers[name]?.tally.counts[outcome, default: 0] += 1
            }
            return state.observer
        }
        observer?(name, outcome)
        logger.info("Shadow answer", metadata: metadata)
    }
}
