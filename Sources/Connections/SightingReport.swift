import Base
import Foundation
import Imaging

/// A sighting as JSON, for MQTT and webhooks.
struct SightingReport: Encodable {
    let event_type: String
    let id: String
    let camera: String
    let camera_name: String
    let label: String
    /// The individual's name, else the breed's, else the label's.
    let name: String
    let breed: String?
    let individual: String?
    /// The name's confidence, 0…1.
    let confidence: Double
    /// Whether neither a breed nor an individual is known.
    let abstained: Bool
    /// x, y, width, height in fractions of the picture.
    let box: [Double]
    let at: String
    let first_seen: String
    let last_seen: String
    let first_today: Bool
    let first_ever: Bool
    let count_today: Int
    let photo_url: String?
    let scan_url: String?

    /// - Parameter address: the service's address for browsers. Nil leaves out all addresses.
    init(_ event: SightingEvent, address: String?) {
        let sighting = event.sighting
        event_type = event.kind.rawValue
        id = sighting.id
        camera = sighting.camera
        camera_name = sighting.cameraName
        label = sighting.label
        name = sighting.name
        breed = sighting.breed?.label
        individual = sighting.individual?.label
        confidence = sighting.certainty.rounded4
        abstained = sighting.breed == nil && sighting.individual == nil
        box = [sighting.box.x, sighting.box.y, sighting.box.width, sighting.box.height].map(\.rounded4)
        first_seen = sighting.first.rfc3339
        last_seen = sighting.last.rfc3339
        at = event.kind == .seen ? first_seen : last_seen
        first_today = sighting.isFirstToday
        first_ever = sighting.isFirstEver
        count_today = sighting.countToday
        photo_url = address.map { "\($0)/cameras/\(sighting.camera)/sightings/\(sighting.id)/picture" }
        scan_url = address.flatMap { address in sighting.scan.map { "\(address)/history/\($0)" } }
    }
}
