import Base
import Imaging

extension Recogniser {
    /// What detectors call a person.
    static let person = "person"

    /// Least confidence of a person that is the answer, and least share of the picture that it takes. The people of 209
    /// photos of people were all found by YOLOX-Nano with these.
    private static let leastConfidence: Float = 0.6
    private static let leastShare = 0.15

    /// From this confidence on something else counts that may be what the picture shows.
    private static let rivalConfidence: Float = 0.3

    /// Answers with the person in a photo where the classifier, which has no such label, saw what people wear or hold, or
    /// saw nothing that it is sure of, and a detector finds that a person takes most of the picture.
    ///
    /// The detector is the one that `POST /detect` would ask. It is loaded where it is not, so that the answer depends on
    /// the models in the folder and not on what was asked before; where it cannot be loaded, the classifier's answer
    /// stands.
    ///
    /// - Throws: what keeps the detector from looking now: ``RecognitionError/overloaded(retryAfter:)``,
    ///   ``RecognitionError/deadlineExceeded``, `CancellationError`.
    func namingPerson(
        in photo: [UInt8], seenAs classification: Classification, by model: LoadedModel, options: ClassificationOptions
    ) async throws -> Classification {
        guard model.heads.mayHidePerson(classification.decision, answers: classification.heads) else {
            return classification
        }
        let detection: Detection
        do {
            detection = try await models.withModel(try await detector(nil)) { detector in
                try await detect(
                    photo, with: detector, isBegun: true,
                    options: DetectionOptions(
                        threshold: Self.rivalConfidence, limit: 100, findsBreeds: false, priority: options.priority,
                        deadline: options.deadline))
            }
        } catch let error as RecognitionError where error.meansNoDetector {
            return classification
        }
        guard let person = Self.dominant(among: detection.boxes, presence: classification.decision.presence) else {
            return classification
        }
        return classification.naming(person, timing: detection.timing)
    }

    /// The same for what a detector found already.
    func naming(
        personAmong boxes: [DetectedBox], in classification: Classification, by model: LoadedModel
    ) -> Classification {
        guard model.heads.mayHidePerson(classification.decision, answers: classification.heads) else {
            return classification
        }
        let sure = boxes.filter { $0.confidence >= Self.rivalConfidence }
        let person = Self.dominant(among: sure, presence: classification.decision.presence)
        return person.map { classification.naming($0, timing: nil) } ?? classification
    }

    /// The largest box, where it is a person's and no cat or dog was found that the classifier saw, too.
    private static func dominant(among boxes: [DetectedBox], presence: String?) -> DetectedBox? {
        guard let largest = boxes.max(by: { $0.region.area < $1.region.area }), largest.label == person,
            largest.confidence >= leastConfidence, largest.region.area >= leastShare,
            !boxes.contains(where: { $0.label == presence })
        else { return nil }
        return largest
    }
}

extension RecognitionError {
    /// There is no detector that could be asked, now or a moment later.
    var meansNoDetector: Bool {
        switch self {
        case .noDetector, .unknownModel, .brokenModel, .wrongTask, .noBoxes, .modelTooLarge: true
        default: false
        }
    }
}
