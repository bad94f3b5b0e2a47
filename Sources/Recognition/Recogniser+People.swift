import Base
import Imaging

extension Recogniser {
    /// The least confidence of a person that becomes the answer, and the least share of the picture. With these,
    /// YOLOX-Nano found the people in all of 209 photos of people.
    private static let leastConfidence: Float = 0.6
    private static let leastShare = 0.15

    /// The least confidence of another box that may be the subject of the picture.
    private static let rivalConfidence: Float = 0.3

    /// Answers with a person if a detector finds that one takes most of the picture, and if the classifier, which has
    /// no such label, saw things that people wear or hold, or was uncertain.
    ///
    /// The detector is the one for `POST /detect`. It is loaded if necessary, so that the answer depends only on the
    /// models in the folder. If it cannot be loaded, the classifier's answer stands.
    ///
    /// - Throws: ``RecognitionError/overloaded(retryAfter:)``, ``RecognitionError/deadlineExceeded`` or
    ///   `CancellationError` if the detector cannot run now.
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
        return Self.naming(dominantAmong: detection.boxes, in: classification, timing: detection.timing)
    }

    /// Does the same with boxes that a detector has found already.
    func naming(
        personAmong boxes: [DetectedBox], in classification: Classification, by model: LoadedModel
    ) -> Classification {
        guard model.heads.mayHidePerson(classification.decision, answers: classification.heads) else {
            return classification
        }
        let sure = boxes.filter { $0.confidence >= Self.rivalConfidence }
        return Self.naming(dominantAmong: sure, in: classification, timing: nil)
    }

    /// Names the person of the largest box. The answer stands if that box shows no person, or if a cat or dog was found
    /// that the classifier also saw.
    private static func naming(
        dominantAmong boxes: [DetectedBox], in classification: Classification, timing: Timing?
    ) -> Classification {
        guard let largest = boxes.max(by: { $0.region.area < $1.region.area }), largest.label == Decision.person,
            largest.confidence >= leastConfidence, largest.region.area >= leastShare,
            !boxes.contains(where: { $0.label == classification.decision.presence })
        else { return classification }
        return classification.naming(largest, timing: timing)
    }
}

extension RecognitionError {
    /// Whether there is no detector, now or a moment later.
    var meansNoDetector: Bool {
        switch self {
        case .noDetector, .unknownModel, .brokenModel, .wrongTask, .noBoxes, .modelTooLarge: true
        default: false
        }
    }
}
