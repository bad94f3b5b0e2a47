/// A detected box in one frame.
package struct Observation: Sendable, Equatable {
    package var box: BoundingBox
    package var label: String
    package var confidence: Double

    package init(box: BoundingBox, label: String, confidence: Double) {
        self.box = box
        self.label = label
        self.confidence = confidence
    }
}
