/// The way to bring a picture of any shape into the wanted shape (the crop-and-scale options of Core ML's Vision).
package enum CropPolicy: String, Sendable, CaseIterable, Codable {
    /// The short side is scaled to size, and the centre is kept. Shapes are true, but the edges are lost. The weights
    /// were measured this way.
    case center
    /// The long side is scaled to size, and the rest is padded (see ``Padding``). Everything is visible, but smaller.
    case fit
    /// Both sides are stretched to size. Everything is visible, but shapes are not true.
    case fill
}

/// The area around a picture that does not fill the wanted shape.
package struct Padding: Sendable, Equatable, Codable {
    /// The place of the picture.
    package enum Anchor: String, Sendable, CaseIterable, Codable {
        case center
        case topLeft = "top_left"
    }

    /// The value of all three channels, 0…255.
    package var level: UInt8
    package var anchor: Anchor

    /// By default black on both sides equally.
    package init(level: UInt8 = 0, anchor: Anchor = .center) {
        self.level = level
        self.anchor = anchor
    }
}

/// The picture that a caller wants.
package struct DecodeRequest: Sendable, Equatable {
    /// Columns of the result.
    package var width: Int
    /// Rows of the result.
    package var height: Int
    /// The way to bring the photo to that shape.
    package var crop: CropPolicy
    /// The fill where the photo does not reach. Only `fit` adds any.
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
