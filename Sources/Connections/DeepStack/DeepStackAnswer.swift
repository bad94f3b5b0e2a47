import Base
import Imaging
import Recognition

/// DeepStack's answer for a picture, with the fields that CodeProject.AI adds.
package struct DeepStackAnswer: Encodable, Sendable {
    /// A box in pixels of the picture as sent.
    struct Prediction: Encodable, Sendable, Equatable {
        let confidence: Double
        let label: String
        let left, top, right, bottom: Int

        enum CodingKeys: String, CodingKey {
            case confidence, label
            case left = "x_min"
            case top = "y_min"
            case right = "x_max"
            case bottom = "y_max"
        }
    }

    let success = true
    let predictions: [Prediction]
    /// In seconds.
    let duration: Double
    let message: String
    let count: Int
    let command = "detect"
    let moduleId = "Menagerie"
    let executionProvider = "CPU"
    let canUseGPU = false
    let inferenceMs, processMs, analysisRoundTripMs: Int
    let processedBy = "localhost"
    let timestampUTC: String

    /// - Parameters:
    ///   - least: the least confidence, 0…1.
    ///   - taken: the time since the request's arrival.
    ///   - time: the time of the answer, such as `Tue, 24 Nov 2026 04:00:00 GMT`.
    package init(_ seen: SeenPhoto, as model: DeepStackModel, from least: Double, taken: Duration, time: String) {
        let image = seen.image
        predictions = model.named(seen.things, from: least).map { thing, label, confidence in
            // Clients draw on the picture as they sent it, and ignore its orientation.
            let region = image.orientation.stored(thing.region)
            func pixel(_ share: Double, of side: Int) -> Int {
                min(max(0, Int(clamping: (share * Double(side)).rounded())), side)
            }
            return Prediction(
                confidence: confidence.rounded4, label: label,
                left: pixel(region.x, of: image.storedWidth), top: pixel(region.y, of: image.storedHeight),
                right: pixel(region.right, of: image.storedWidth), bottom: pixel(region.bottom, of: image.storedHeight))
        }
        let labels = predictions.map(\.label)
        message =
            labels.isEmpty
            ? "No objects found" : "Found " + labels.prefix(3).joined(separator: ", ") + (labels.count > 3 ? "..." : "")
        count = predictions.count
        let milliseconds = taken / .milliseconds(1)
        duration = (milliseconds * 10).rounded() / 10_000
        inferenceMs = Int(clamping: seen.timing.inference)
        processMs = Int(clamping: milliseconds)
        analysisRoundTripMs = processMs
        timestampUTC = time
    }
}
