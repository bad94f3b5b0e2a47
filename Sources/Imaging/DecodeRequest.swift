/// How a picture of any shape becomes one of the wanted shape (the crop-and-scale options of Core ML's Vision).
package enum CropPolicy: String, Sendable, CaseIterable, Codable {
    /// Short side to size, then the centre: what lies outside is lost, shapes are true. What the weights were
    /// measured with.
    case center
    /// Long side to size, the rest black (0, 0, 0) on both sides equally: everything is seen, smaller.
    case fit
    /// Both sides to size, stretched: everything is seen, shapes are not true.
    case fill
}

/// The picture that is wanted.
package struct DecodeRequest: Sendable, Equatable {
    /// Columns of the result.
    package var width: Int
    /// Rows of the result.
    package var height: Int
    /// How the photo is brought to that shape.
    package var crop: CropPolicy

    /// - Precondition: both sides are at least 1.
    package init(width: Int, height: Int, crop: CropPolicy = .center) {
        precondition(width > 0 && height > 0, "the wanted picture has at least one pixel")
        self.width = width
        self.height = height
        self.crop = crop
    }
}
