/// One animal or object found in a photo.
package struct Box: Codable, Hashable, Sendable {
    /// The upper left corner and the extent, as fractions (0…1) of the upright picture.
    package var x, y, width, height: Double
    package var label: String
    /// 0…1.
    package var confidence: Double
    /// The breeds of a cat or a dog, likeliest first; nil for other labels.
    package var predictions: [Prediction]?

    package init(
        x: Double, y: Double, width: Double, height: Double, label: String, confidence: Double,
        predictions: [Prediction]? = nil
    ) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        self.label = label
        self.confidence = confidence
        self.predictions = predictions
    }
}
