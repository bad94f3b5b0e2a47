import Base
import Learning
import Recognition

/// Accumulates the answers of an evaluation.
struct EvaluationTally {
    private(set) var heads: [String: HeadTally] = [:]
    private(set) var failures: [EvaluationReport.Failure] = []
    private var order: [String] = []
    private var truth: GroundTruth?
    private var modelName = ""
    private var modelVersion = ""
    private var answers = 0
    private var decodeMilliseconds = 0.0
    private var inferenceMilliseconds = 0.0
    /// Scores of known breeds against everything else, if the model has presence and breeds.
    private var breedScores: [Double] = []
    private var isKnownBreed: [Bool] = []
    /// Counts over the photos whose answering head has a truth: all, abstentions, and right answers among the others.
    private var judged = 0
    private var abstained = 0
    private var answeredRight = 0

    mutating func add(_ answer: Classification, to photo: LabelledPhoto) {
        let truth = self.truth ?? begin(with: answer)
        answers += 1
        decodeMilliseconds += answer.timing.decode
        inferenceMilliseconds += answer.timing.inference
        for head in answer.heads {
            guard let right = truth.answer(of: head.name, to: photo) else { continue }
            heads[head.name]?.add(head.probabilities, truth: right)
            guard head.name == answer.head else { continue }
            judged += 1
            if answer.abstained {
                abstained += 1
            } else if head.first?.label == head.labels[right] {
                answeredRight += 1
            }
        }
        if let score = Self.breedScore(answer), let isKnown = truth.isKnownBreed(photo) {
            breedScores.append(Double(score))
            isKnownBreed.append(isKnown)
        }
    }

    mutating func fail(_ path: String, _ reason: String) {
        failures.append(EvaluationReport.Failure(path: path, reason: reason))
    }

    /// Nil if no head met a photo that it should know.
    func report(photos: Int, seconds: Double) -> EvaluationReport? {
        let measured = order.compactMap { name in
            heads[name]?.measures().map { EvaluationReport.Head(name: name, measures: $0) }
        }
        guard !measured.isEmpty else { return nil }
        let auroc = ReceiverOperatingCharacteristic.area(scores: breedScores, isPositive: isKnownBreed)
        return EvaluationReport(
            model: modelName, version: modelVersion, photos: photos, failures: failures, heads: measured,
            abstention: EvaluationReport.Abstention(
                auroc: auroc, photos: auroc == nil ? 0 : breedScores.count, judged: judged, abstained: abstained,
                answeredRight: answeredRight),
            timing: EvaluationReport.Timing(
                decodeMilliseconds: decodeMilliseconds / Double(max(1, answers)),
                inferenceMilliseconds: inferenceMilliseconds / Double(max(1, answers)),
                wallMilliseconds: seconds * 1000 / Double(max(1, answers)), seconds: seconds))
    }

    private mutating func begin(with answer: Classification) -> GroundTruth {
        let truth = GroundTruth(heads: answer.heads.map { ($0.name, $0.labels) })
        self.truth = truth
        order = answer.heads.map(\.name)
        for head in answer.heads { heads[head.name] = HeadTally(labels: head.labels) }
        (modelName, modelVersion) = (answer.modelName, answer.modelVersion)
        return truth
    }

    /// max(P(cat) · max P(breed of cat), P(dog) · max P(breed of dog)). It is high for a breed that the model knows.
    private static func breedScore(_ answer: Classification) -> Float? {
        let presence = answer.answer(of: "presence")
        let scores = [("cat", "cats"), ("dog", "dogs")].compactMap { species, head -> Float? in
            guard let share = presence?.confidence(of: species), let breed = answer.answer(of: head)?.first else {
                return nil
            }
            return share * breed.confidence
        }
        return scores.max()
    }
}
