package import Foundation
package import Imaging

/// The stay of one animal before one camera.
package struct Sighting: Sendable, Codable, Equatable {
    package struct Name: Sendable, Codable, Equatable {
        package var label: String
        package var confidence: Double
    }

    /// A ULID, so ids ascend with time.
    package let id: String
    package let camera: String
    package let cameraName: String
    /// The detector's label, such as `cat`.
    package var label: String
    /// The label's confidence, 0…1.
    package var confidence: Double
    /// The likeliest breed or species. Nil if unsure.
    package var breed: Name?
    /// The animal's own name, given by people. Nil for an unknown animal.
    package var individual: Name?
    /// The most specific name, for display.
    package var name: String
    package var first: Date
    package var last: Date
    /// The box of the best view, in fractions of the picture.
    package var box: PictureRegion
    /// The id of the scan in the history. Nil if none was saved.
    package var scan: String?
    /// Whether any camera saw this animal (or its breed, or its kind) for the first time today, and for the first time
    /// ever.
    package var isFirstToday = false
    package var isFirstEver = false
    /// The number of sightings of it today at all cameras, including this one.
    package var countToday = 1

    /// The key for counting: the individual, else the breed, else the label.
    var key: String { individual.map { "individual " + $0.label } ?? "label " + (breed?.label ?? label) }

    /// The confidence of the most specific name.
    package var certainty: Double { individual?.confidence ?? breed?.confidence ?? confidence }
}

/// An animal's arrival or departure.
package struct SightingEvent: Sendable {
    package enum Kind: String, Sendable {
        /// The animal has come. The names come from its first few pictures.
        case seen
        /// The animal has gone. The names and the picture are the best of its whole stay.
        case left
    }

    package let kind: Kind
    package let sighting: Sighting
    /// The picture as JPEG.
    package let picture: [UInt8]
}

package protocol SightingListener: Sendable {
    /// Receives an event. It should return as soon as it has stored the event.
    func take(_ event: SightingEvent) async
}

/// A listener that also follows the list of cameras.
package protocol CameraListener: SightingListener {
    /// Receives the list of cameras after every change.
    func take(cameras: [Camera]) async

    /// Receives the newest sighting of a camera at the start of the service.
    func take(last event: SightingEvent) async
}
