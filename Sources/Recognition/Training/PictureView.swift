import Imaging

/// A way to look at a photo once more, so that a classifier learns what does not matter.
package enum PictureView: String, Sendable, CaseIterable, Codable {
    /// As the photo is.
    case plain
    case mirror
    /// Softened, as out of focus.
    case blur
    /// Its middle, closer.
    case crop
    /// Under warmer light.
    case colour

    /// The part of the photo that is seen.
    var region: PictureRegion {
        self == .crop ? PictureRegion(x: 0.1, y: 0.1, width: 0.8, height: 0.8) : .whole
    }

    /// - Parameter picture: of ``region``.
    func seen(_ picture: PixelBuffer) -> PixelBuffer {
        switch self {
        case .plain, .crop: picture
        case .mirror: picture.mirrored()
        case .blur: picture.blurred()
        case .colour: picture.tinted(red: 1.12, green: 1, blue: 0.86)
        }
    }
}
