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
        let challenger: String
        let photo: [UInt8]
        let champion: Classification
    }

    private struct State {
        /// The challengers by model name.
        var challengers: [String: Challenger] = [:]
        var running: Task<Void, Never>?
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
    private let waiting: AsyncStream<Answered>.Continuation

    /// Reads which versions are challengers. Blocks.
    init(_ folder: TrainedModelFolder, recogniser: Recogniser) {
        self.folder = folder
        self.recogniser = recogniser
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.root)) ?? []
        let photos: AsyncStream<Answered>
        (photos, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.room))
        for name in names { reload(name) }
        let running = Task { [weak self] in
            for await photo in photos { await self?.answer(photo) }
        }
        state.withLock { $0.running = running }
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
        guard let challenger = state.withLock({ $0.challengers[name] }), challenger.champion == champion.modelVersion
        else { return }
        if let head = challenger.head, let features = champion.features {
            let answer = head.answer(to: features, name: name, version: challenger.version, top: 1)
            report(champion, request, challenger.version, .success(answer.predictions.first))
            return
        }
        let answered = Answered(request: request, challenger: challenger.version, photo: photo, champion: champion)
        if case .dropped = waiting.yield(answered) { report(champion, request, challenger.version, nil) }
    }

    /// Updates the challenger of a name from its deployment. Blocks.
    func reload(_ name: String) {
        let deployment = folder.deployment(of: name)
        guard let champion = deployment.version, let version = deployment.shadow else {
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

    /// Ends the work. No challenger answers after it.
    func stop() async {
        let running = state.withLock { state in
            state.challengers = [:]
            return state.running
        }
        waiting.finish()
        running?.cancel()
        await running?.value
    }

    private func answer(_ photo: Answered) async {
        let answer: Result<Prediction?, any Error>?
        do {
            let reference = ModelReference(name: photo.champion.modelName, version: photo.challenger)
            let classification = try await recogniser.models.withModel(reference) {
                try await recogniser.backgroundAnswer(to: photo.photo, by: $0, deadline: .now + Self.patience)
            }
            answer = .success(classification.answer(of: classification.head)?.first)
        } catch RecognitionError.deadlineExceeded {
            answer = nil
        } catch {
            answer = .failure(error)
        }
        if !Task.isCancelled { report(photo.champion, photo.request, photo.challenger, answer) }
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
