import Base
import Connections
import Foundation

/// A camera in the HTTP interface, without its password.
struct CameraRepresentation: Encodable {
    let id: String
    let name: String
    /// The URL without user, password, query and values in its path.
    let address: String
    let looksPerSecond: Double
    let ignored: [Camera.Region]
    let savesScans: Bool
    let enabled: Bool
    let state: String
    let problem: Nullable<String>
    let since: Date
    let counts: CameraStatus.Counts
    let pictureUrl: String
    let sightingsUrl: String

    init(_ camera: Camera, _ status: CameraStatus) {
        id = camera.id
        name = camera.name
        address = camera.address
        looksPerSecond = camera.looksPerSecond
        ignored = camera.ignored
        savesScans = camera.savesScans
        enabled = camera.isEnabled
        state = status.state.rawValue
        problem = Nullable(status.problem)
        since = status.since
        counts = status.counts
        pictureUrl = "/cameras/\(camera.id)/picture"
        sightingsUrl = "/cameras/\(camera.id)/sightings"
    }
}

/// A sighting in the HTTP interface.
struct SightingRepresentation: Encodable {
    let id: String
    let camera: String
    let label: String
    let name: String
    let breed: Nullable<Sighting.Name>
    let individual: Nullable<Sighting.Name>
    let confidence: Double
    let box: Camera.Region
    let firstSeen: Date
    let lastSeen: Date
    let firstToday: Bool
    let firstEver: Bool
    let countToday: Int
    let pictureUrl: String
    let scanUrl: Nullable<String>

    init(_ sighting: Sighting) {
        id = sighting.id
        camera = sighting.camera
        label = sighting.label
        name = sighting.name
        breed = Nullable(sighting.breed)
        individual = Nullable(sighting.individual)
        confidence = sighting.certainty.rounded4
        box = sighting.box
        firstSeen = sighting.first
        lastSeen = sighting.last
        firstToday = sighting.isFirstToday
        firstEver = sighting.isFirstEver
        countToday = sighting.countToday
        pictureUrl = "/cameras/\(sighting.camera)/sightings/\(sighting.id)/picture"
        scanUrl = Nullable(sighting.scan.map { "/history/\($0)" })
    }
}
