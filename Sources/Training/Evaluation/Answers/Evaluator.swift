import Base
import Foundation
package import Recognition

/// Measures a model's answers for labelled photos.
package struct Evaluator: Sendable {
    package let recogniser: Recogniser
    /// `name` or `name@version`. Nil takes the default model.
    package let model: String?
    /// The number of photos in work at once.
    package let concurrency: Int

    package init(recogniser: Recogniser, model: String? = nil, concurrency: Int) {
        self.recogniser = recogniser
        self.model = model
        self.concurrency = max(1, concurrency)
    }

    package struct Result: Sendable {
        package let report: EvaluationReport
        /// The confusions of the measured heads, by head.
        package let confusions: [String: ConfusionMatrix]
    }

    private enum Outcome: Sendable {
        case answer(Classification)
        case failure(String)
    }

    /// Lists unreadable photos in the report, but throws errors of the model.
    ///
    /// - Parameter progress: receives the number of photos done.
    /// - Throws: `RecognitionError`, `CancellationError`, or ``EvaluationError`` if nothing could be measured.
    package func evaluate(_ list: PhotoList, progress: (Int) -> Void = { _ in }) async throws -> Result {
        let start = ContinuousClock.now
        var tally = EvaluationTally()
        var done = 0
        // Answers are counted in the list's order, so that sums have the same bits every time.
        try await list.photos.concurrentForEach(atOnce: concurrency) { photo in
            (photo, try await answer(to: list.url(of: photo)))
        } use: { photo, outcome in
            switch outcome {
            case .answer(let answer): tally.add(answer, to: photo)
            case .failure(let reason): tally.fail(photo.path, reason)
            }
            done += 1
            progress(done)
        }
        let seconds = (ContinuousClock.now - start).seconds
        guard let report = tally.report(photos: list.photos.count, seconds: seconds) else {
            throw EvaluationError(failures: tally.failures, model: model ?? recogniser.defaultModel)
        }
        return Result(report: report, confusions: tally.heads.filter { $0.value.photos > 0 }.mapValues(\.confusion))
    }

    private func answer(to file: URL) async throws -> Outcome {
        guard let photo = try? Data(contentsOf: file) else { return .failure("cannot be read") }
        do {
            let options = ClassificationOptions(priority: .bulk)
            return .answer(try await recogniser.classify(Array(photo), model: model, options: options))
        } catch let error as RecognitionError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            return .failure("\(error)")
        }
    }
}

package struct EvaluationError: Error, Equatable, CustomStringConvertible {
    package let failures: [EvaluationReport.Failure]
    package let model: String

    package var description: String {
        if let first = failures.first {
            return "No photo could be measured; the first, \(first.path): \(first.reason)"
        }
        return "No photo has a class that the model \"\(model)\" knows."
    }
}
