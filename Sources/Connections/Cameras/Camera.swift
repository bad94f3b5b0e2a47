package import Imaging
import Video

/// A camera that the service watches.
package struct Camera: Sendable, Codable, Equatable {
    package typealias Region = PictureRegion

    /// A permanent id of `a`…`z`, digits and `_`. It appears in topics and paths.
    package let id: String
    package var name: String
    /// The address with the password. Show ``address`` instead.
    package var url: String
    package var looksPerSecond: Double
    /// Animals and motion in these parts are ignored.
    package var ignored: [Region]
    /// Whether each sighting becomes a scan in the history.
    package var savesScans: Bool
    package var isEnabled: Bool

    /// The address without its password.
    package var address: String { VideoAddress.shown(url) }
}

/// A caller's values for a camera. Nil keeps a value, or takes the default for a new camera.
package struct CameraDraft: Sendable, Equatable {
    package var name: String?
    package var url: String?
    package var looksPerSecond: Double?
    package var ignored: [Camera.Region]?
    package var savesScans: Bool?
    package var isEnabled: Bool?

    package static let looksRange = 0.1...30.0
    package static let regionLimit = 32
    package static let nameLimit = 60
    static let standardLooks = 5.0

    /// A draft without any values.
    package static let empty = CameraDraft()
}

package enum CameraError: Error, Equatable {
    /// Cameras are turned off in the settings.
    case off
    /// A field is invalid. `expected` says what would be right.
    case invalid(field: String, expected: String)
    /// The largest number of cameras is reached.
    case full(limit: Int)
    case unknown(id: String)
    /// The sighting does not exist, or is no longer stored.
    case unknownSighting(id: String)
    /// The camera has sent no picture yet.
    case noPicture
    /// The disk of the data folder is full.
    case diskFull
    /// The data folder is not writable. The text gives the reason.
    case storage(String)
}
