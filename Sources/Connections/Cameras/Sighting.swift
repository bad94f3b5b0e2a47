package import Foundation

/// One animal before one camera, from when it came until it went.
package struct Sighting: Sendable, Codable, Equatable {
    /// What it is called, by whom that can be told, and how sure that is.
    package struct Name: Sendable, Codable, Equatable {
        package var label: String
        /// 0…1.
        package var confidence: Double
    }

    /// Ascends with time; a ULID.
    package let id: String
    /// Of the camera.
    package let camera: String
    package let cameraName: String
    /// What the detector calls it, such as `cat`.
    package var label: String
    /// Of the label, 0…1.
    package var confidence: Double
    /// The likeliest breed or species; nil where none is told.
    package var breed: Name?
    /// The animal that people have called by name; nil for a stranger.
    package var individual: Name?
    /// The most telling of these, as people write it.
    package var name: String
    package var first: Date
    package var last: Date
    /// Where it was seen best, in fractions of the picture.
    package var box: Camera.Region
    /// Of the scan in the history; nil where none was saved.
    package var scan: String?
    /// Whether it is the first sighting of that animal (or breed, or kind) today, and ever, at any camera.
    package var isFirstToday = false
    package var isFirstEver = false
    /// How often it was seen today at any camera, this time included.
    package var countToday = 1

    /// What it is counted as: the individual, else the breed, else the label.
    var key: String { individual.map { "individual " + $0.label } ?? "label " + (breed?.label ?? label) }

    /// How sure the most telling name is.
    package var certainty: Double { individual?.confidence ?? breed?.confidence ?? confidence }
}

/// What happens before the cameras.
package enum SightingEvent: Sendable {
    /// It has come, and is known as well as a few looks tell.
    case seen(Sighting, picture: [UInt8])
    /// It has gone; the names and the picture are the best of its whole stay.
    case left(Sighting, picture: [UInt8])

    package var sighting: Sighting {
        switch self {
        case .seen(let sighting, _), .left(let sighting, _): sighting
        }
    }

    /// JPEG.
    package var picture: [UInt8] {
        switch self {
        case .seen(_, let picture), .left(_, let picture): picture
        }
    }

    package var word: String {
        switch self {
        case .seen: "seen"
        case .left: "left"
        }
    }
}

/// Somebody who is told.
package protocol SightingListener: Sendable {
    /// Takes an event in; it is not waited for longer than it takes to note it.
    func take(_ event: SightingEvent) async
}

/// One that also wants to know which cameras there are.
package protocol CameraListener: SightingListener {
    /// The cameras are these from now on.
    func take(cameras: [Camera]) async
}
