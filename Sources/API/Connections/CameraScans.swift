import Base
package import Connections
import Metrics
import Foundation
package import History
package import Recognition
package import Training

/// Makes scans of sightings: the best picture is recognised as a photo that somebody has sent.
package enum CameraScans {
    /// How long a picture may wait behind those that people wait for.
    private static let patience = Duration.seconds(60)
    private static let labels = 5

    /// Saves the picture of a sighting in the history, with a note that says where it is from.
    package static func scanner(
        recogniser: Recogniser, history: HistoryStore, training: TrainingService?, metrics: ServiceMetrics
    ) -> CameraService.Scanner {
        { picture, sighting in
            let options = ClassificationOptions(
                priority: .bulk, deadline: .now + patience, copy: .init(keepsMetadata: false))
            let classification = try await recogniser.classify(picture, options: options)
            var scan = NewScan(classification, top: labels, heads: nil, language: .english)
            scan.learnt = training.flatMap { LearntAnswers($0, to: classification, top: labels) }
            let saved = try await history.record(scan, photo: classification.storedCopy).scan
            metrics.scansSaved.increment()
            _ = try await history.scans.update(
                id: saved.id, ScanUpdate(note: .set("\(sighting.name) · \(sighting.cameraName)")))
            return saved.id.description
        }
    }
}
