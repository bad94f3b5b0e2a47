import Imaging

/// A modified view of a photo, from which a classifier learns what does not matter.
package enum PictureView: String, Sendable, CaseIterable, Codable {
    /// The unchanged photo.
    case plain
    case mirror
    /// Blurred, as if out of focus.
    case blur
    /// The middle of the photo, enlarged.
    case crop
    /// Warmer light.
    case colour

    /// The part of the photo that the view shows.
    var region: PictureRegion {
        self == .crop ? PictureRegion(x: 0.1, y: 0.1, width: 0.8, height: 0.8) : .whole
    }

    /// - Parameter picture: the part of the photo in ``region``.
    func seen(_ picture: PixelBuffer) -> PixelBuffer {
        switch self {
        case .plain, .crop: picture
        case .mirror: picture.mirrored()
        case .blur: picture.blurred()
        case .colour: picture.tinted(red: 1.12, green: 1, blue: 0.86)
        }
    }
}
