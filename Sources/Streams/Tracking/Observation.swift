/// A detected box in one frame.
package struct Observation: Sendable, Equatable {
    package var box: BoundingBox
    package var label: String
    package var confidence: Double
}
