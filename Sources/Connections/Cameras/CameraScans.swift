import Base
package import Recognition
package import Storage
import Streams
package import Training

/// Makes scans from sightings. The best picture is recognised like a photo that a user sends, but it gets the breed or
/// species that all pictures of the animal agree on.
package enum CameraScans {
    /// The time that a picture may wait behind photos of users.
    private static let patience = Duration.seconds(60)
    private static let labels = 5

    /// Saves the picture of a sighting in the history, with a note about its origin.
    ///
    /// - Parameter saved: is called for each saved scan.
    package static func scanner(
        recogniser: Recogniser, history: HistoryStore, training: TrainingService?, saved: @escaping @Sendable () -> Void
    ) -> CameraService.Scanner {
        { picture, sighting, agreed in
            let classification = try await classification(of: picture, by: recogniser).agreeing(with: agreed)
            var scan = Scan(classification, top: labels, heads: nil, language: .english)
            scan.learnt = training?.learntAnswers(to: classification, top: labels)
            scan.note = "\(sighting.name) · \(sighting.cameraName)"
            let scanID = try await history.record(scan, photo: classification.storedCopy).scan.id
            saved()
            return scanID.description
        }
    }

    private static func classification(of picture: [UInt8], by recogniser: Recogniser) async throws -> Classification {
        let deadline = ContinuousClock.now + patience
        let options = ClassificationOptions(priority: .bulk, deadline: deadline, copy: .init(keepsMetadata: false))
        return try await Recogniser.patiently(until: deadline) {
            try await recogniser.classify(picture, options: options)
        }
    }
}
