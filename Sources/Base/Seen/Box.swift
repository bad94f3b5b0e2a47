package struct Box: Codable, Hashable, Sendable {
    /// The upper left corner and the size, as fractions (0…1) of the upright picture.
    package var x, y, width, height: Double
    package var label: String
    /// 0…1.
    package var confidence: Double
    /// The breeds of a cat or a dog, likeliest first; nil for other labels.
    package var predictions: [Prediction]?
    /// The species of any other animal, and the head of the classifier that knows it; nil if no head is sure.
    package var species: Prediction?
    package var speciesHead: String?
    /// Whether the first breed is too unsure to be shown. Earlier versions stored nil and always showed it.
    package var isUnsureOfBreed: Bool?

    package init(
        x: Double, y: Double, width: Double, height: Double, label: String, confidence: Double,
        predictions: [Prediction]? = nil, species: Prediction? = nil, speciesHead: String? = nil,
        isUnsureOfBreed: Bool? = nil
    ) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        self.label = label
        self.confidence = confidence
        self.predictions = predictions
        self.species = species
        self.speciesHead = speciesHead
        self.isUnsureOfBreed = isUnsureOfBreed
    }
}
