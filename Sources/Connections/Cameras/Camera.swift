import Video

/// A camera that the service watches.
package struct Camera: Sendable, Codable, Equatable {
    /// A part of its picture, in fractions of width and height from the upper left corner.
    package struct Region: Sendable, Codable, Equatable {
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double

        package init(x: Double, y: Double, width: Double, height: Double) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }

        func contains(x other: Double, y down: Double) -> Bool {
            other >= x && other < x + width && down >= y && down < y + height
        }
    }

    /// Stays with it, and is part of topics and paths: `a`…`z`, digits and `_`.
    package let id: String
    package var name: String
    /// Where it is; holds its password, and is shown as ``address`` only.
    package var url: String
    package var looksPerSecond: Double
    /// What moves there, and what stands there, is no matter.
    package var ignored: [Region]
    /// Whether each sighting becomes a scan in the history.
    package var savesScans: Bool
    package var isEnabled: Bool

    /// Without its password.
    package var address: String { VideoAddress.shown(url) }
}

/// What a caller says of a camera; nil leaves it as it is, or at the standard.
package struct CameraDraft: Sendable, Equatable {
    package var name: String?
    package var url: String?
    package var looksPerSecond: Double?
    package var ignored: [Camera.Region]?
    package var savesScans: Bool?
    package var isEnabled: Bool?

    package init(
        name: String? = nil, url: String? = nil, looksPerSecond: Double? = nil, ignored: [Camera.Region]? = nil,
        savesScans: Bool? = nil, isEnabled: Bool? = nil
    ) {
        self.name = name
        self.url = url
        self.looksPerSecond = looksPerSecond
        self.ignored = ignored
        self.savesScans = savesScans
        self.isEnabled = isEnabled
    }

    package static let looksRange = 0.1...30.0
    package static let regionLimit = 32
    package static let nameLimit = 60
    static let standardLooks = 5.0
}

/// Why a camera is not taken, or not there.
package enum CameraError: Error, Equatable {
    /// Watching cameras is not allowed here.
    case off
    /// A field is wrong; what would be right.
    case invalid(field: String, expected: String)
    /// As many as there may be are there.
    case full(limit: Int)
    case unknown(id: String)
    /// There is no such sighting, or it is not kept any more.
    case unknownSighting(id: String)
    /// No picture has come from it yet.
    case noPicture
    /// The folder of the data cannot be written; in words.
    case storage(String)
}
