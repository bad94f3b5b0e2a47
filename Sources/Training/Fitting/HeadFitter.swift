import Base
import Foundation
import Glibc
import Learning
import Recognition

/// Fits a head to features and measures it.
struct HeadFitter: Sendable {
    /// With fewer photos of some class, prototypes are the default method.
    static let fewPhotos = 5
    /// The iterations without a lower held-out loss after which a fit ends.
    private static let patience = 10
    /// The least temperature for few held-out photos. If all of them are right, any confidence would look justified.
    private static let leastTemperature = 0.5
    private static let manyHeldOut = 500

    /// The answer for one photo from a classifier that was not trained on it.
    struct Answer: Sendable {
        /// The index in the samples' photos.
        let photo: Int
        let probabilities: [Float]

        var first: Int { LinearClassifier.answer(probabilities) }
    }

    struct Fitted: Sendable {
        let head: TrainedHead
        let method: TrainingOptions.Method
        let iterations: [TrainingIteration]
        let answers: [Answer]
        let warnings: [TrainingWarning]
        let trainingPhotos: Int
    }

    let options: TrainingOptions
    let threads: @Sendable () -> Int
    let isCancelled: @Sendable () -> Bool
    let observe: @Sendable (TrainingIteration) -> Void

    /// Fits a head. Blocks until it is done.
    ///
    /// - Throws: `CancellationError`.
    func fit(_ samples: TrainingSamples) throws -> Fitted {
        let isFew = (samples.counts.min() ?? 0) < Self.fewPhotos
        switch options.method {
        case .prototypes: return fitPrototypes(samples)
        case .automatic where isFew: return fitPrototypes(samples)
        default: return try fitLogistic(samples)
        }
    }

    private func fitLogistic(_ samples: TrainingSamples) throws -> Fitted {
        let split = StratifiedSplit(
            classes: samples.classes, groups: samples.groups, share: options.validation, seed: options.seed)
        let training = samples.rows(of: split.training)
        let plain = samples.plainRows(of: split.training)
        let trainingTruth = split.training.map { samples.photos[$0].index }
        let heldOut = samples.plainRows(of: split.validation)
        let truth = split.validation.map { samples.photos[$0].index }
        let regression = LogisticRegression(
            regularisation: options.regularisation, maximumIterations: options.iterations,
            balancesClasses: options.balance, threads: threads)
        var iterations: [TrainingIteration] = []
        var best: (loss: Double, iteration: Int, classifier: LinearClassifier)?
        let last = try regression.fit(training, classCount: samples.labels.count) { step in
            if isCancelled() { throw CancellationError() }
            let logits = step.classifier.logits(of: heldOut, threads: threads())
            let heldOutLoss = Temperature.meanLoss(logits, truth, temperature: 1)
            let iteration = TrainingIteration(
                iteration: step.iteration, loss: step.loss,
                trainingAccuracy: Self.accuracy(
                    step.classifier.logits(of: plain, threads: threads()), trainingTruth) ?? 0,
                validationAccuracy: Self.accuracy(logits, truth))
            iterations.append(iteration)
            observe(iteration)
            guard !truth.isEmpty else { return true }
            if best.map({ heldOutLoss < $0.loss }) ?? true {
                best = (heldOutLoss, step.iteration, step.classifier)
            }
            return step.iteration - (best?.iteration ?? 0) < Self.patience
        }
        let classifier = best?.classifier ?? last
        let logits = classifier.logits(of: heldOut)
        let temperature = temperature(logits, truth)
        var warnings: [TrainingWarning] = []
        if truth.isEmpty {
            warnings.append(.nothingHeldOut)
        } else if truth.count < 50 {
            warnings.append(.fewHeldOut(truth.count))
        }
        let missing = Set(samples.classes).subtracting(truth).map { samples.labels[$0] }.sorted()
        if !truth.isEmpty, !missing.isEmpty {
            warnings.append(.notHeldOut(missing))
        }
        return Fitted(
            head: head(
                samples, centre: nil, weights: classifier.weights, bias: classifier.bias, temperature: temperature,
                logits: logits, truth: truth),
            method: .logistic, iterations: iterations,
            answers: answers(logits, split.validation, temperature), warnings: warnings,
            trainingPhotos: split.training.count)
    }

    private func fitPrototypes(_ samples: TrainingSamples) -> Fitted {
        let means = samples.means
        let prototypes = Prototypes(means, classes: samples.classes, classCount: samples.labels.count)
        let logits = prototypes.heldOutLogits
        let temperature = temperature(logits, samples.classes)
        let least = samples.counts.min() ?? 0
        let head = head(
            samples, centre: prototypes.centre, weights: prototypes.directions.map { $0 * Prototypes.scale },
            bias: [Float](repeating: 0, count: samples.labels.count), temperature: temperature, logits: logits,
            truth: samples.classes)
        let own = samples.photos.indices.map { head.logits(of: Array(means[$0])) }
        let iteration = TrainingIteration(
            iteration: 1, loss: Temperature.meanLoss(logits, samples.classes, temperature: temperature),
            trainingAccuracy: Self.accuracy(own, samples.classes) ?? 0,
            validationAccuracy: Self.accuracy(logits, samples.classes))
        observe(iteration)
        return Fitted(
            head: head, method: .prototypes, iterations: [iteration],
            answers: answers(logits, Array(samples.photos.indices), temperature),
            warnings: [least < Self.fewPhotos ? .fewPhotos(least) : .nearDuplicatesMeasured],
            trainingPhotos: samples.photos.count)
    }

    private func temperature(_ logits: [[Float]], _ truth: [Int]) -> Double {
        let fitted = Temperature.fitting(logits, classes: truth)
        return truth.count < Self.manyHeldOut ? max(fitted, Self.leastTemperature) : fitted
    }

    private func head(
        _ samples: TrainingSamples, centre: [Float]?, weights: [Float], bias: [Float], temperature: Double,
        logits: [[Float]], truth: [Int]
    ) -> TrainedHead {
        let probabilities = logits.map { LinearClassifier.probabilities($0, temperature: temperature) }
        let threshold = UnknownThreshold.keepingRightAnswers(
            confidences: probabilities.map { $0.max() ?? 0 },
            isRight: zip(logits, truth).map { LinearClassifier.answer($0) == $1 })
        var notes: [String: String] = [:]
        for (label, count) in zip(samples.labels, samples.counts) where count < Self.fewPhotos {
            notes[label] = "few-shot: \(count) photos in all"
        }
        return TrainedHead(
            labels: samples.labels, centre: centre, weights: weights, bias: bias, temperature: temperature,
            abstainBelow: threshold,
            classMeans: ClassMeans(
                samples.photos.map { $0.seen.features[0] }, classes: samples.classes, groups: samples.groups,
                classCount: samples.labels.count), notes: notes)
    }

    private func answers(_ logits: [[Float]], _ photos: [Int], _ temperature: Double) -> [Answer] {
        zip(logits, photos).map { logits, photo in
            let probabilities = LinearClassifier.probabilities(logits, temperature: temperature)
            return Answer(photo: photo, probabilities: probabilities.map { Float($0) })
        }
    }

    private static func accuracy(_ logits: [[Float]], _ truth: [Int]) -> Double? {
        guard !truth.isEmpty else { return nil }
        let right = zip(logits, truth).count { LinearClassifier.answer($0) == $1 }
        return Double(right) / Double(truth.count)
    }
}

/// A thread for long computations that yields to all others. Its nice value is high, and its own threads inherit that.
enum BackgroundThread {
    private static let nice: Int32 = 10

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await onOwnThread {
            // On Linux, each thread has its own nice value (setpriority(2)).
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
            return try body()
        }
    }
}
