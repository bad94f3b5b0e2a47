/// How a picture of any shape becomes one of the wanted shape (the crop-and-scale options of Core ML's Vision).
package enum CropPolicy: String, Sendable, CaseIterable, Codable {
    /// Short side to size, then the centre: what lies outside is lost, shapes are true. What the weights were
    /// measured with.
    case center
    /// Long side to size, the rest padding (see ``Padding``): everything is seen, smaller.
    case fit
    /// Both sides to size, stretched: everything is seen, shapes are not true.
    case fill
}

/// What surrounds a picture that does not fill the wanted shape.
package struct Padding: Sendable, Equatable, Codable {
    /// Where the picture lies.
    package enum Anchor: String, Sendable, CaseIterable, Codable {
        case center
        case topLeft = "top_left"
    }

    /// The value of all three channels, 0…255.
    package var level: UInt8
    package var anchor: Anchor

    /// Default: black on both sides equally.
    package init(level: UInt8 = 0, anchor: Anchor = .center) {
        self.level = level
        self.anchor = anchor
    }
}

/// The picture that is wanted.
package struct DecodeRequest: Sendable, Equatable {
    /// Columns of the result.
    package var width: Int
    /// Rows of the result.
    package var height: Int
    /// How the photo is brought to that shape.
    package var crop: CropPolicy
    /// What is added where the photo does not reach; only `fit` adds any.
    package var padding: Padding
    /// The part of the upright photo that is wanted.
    package var region: PictureRegion

    /// - Precondition: both sides are at least 1.
    package init(
        width: Int, height: Int, crop: CropPolicy = .center, padding: Padding = Padding(),
        region: PictureRegion = .whole
    ) {
        precondition(width > 0 && height > 0, "the wanted picture has at least one pixel")
        self.width = width
        self.height = height
        self.crop = crop
        self.padding = padding
        self.region = region
    }
}
