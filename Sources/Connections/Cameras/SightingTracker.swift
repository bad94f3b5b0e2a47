import Base
import Foundation
import Imaging

/// Makes sightings of the animals in the pictures of one camera. A pure value.
///
/// Trackers lose an animal behind a flowerpot and give it another number when it comes out: what comes again within a few
/// seconds is the same visit.
struct SightingTracker {
    /// An animal that is there.
    struct Visit {
        var track: Int
        var sighting: Sighting
        var worth: Double
        var picture: PixelBuffer
        /// Milliseconds of the stream when it was seen last.
        var lastMilliseconds: Double
        let firstMilliseconds: Double
        var isAnnounced = false
        /// Who it was taken for, and how sure that was in sum.
        var individuals: [String: (sum: Double, best: Double)] = [:]
    }

    /// Animals before one camera at a time; a herd is told of in part.
    private static let limit = 32
    /// Milliseconds for which names are gathered before an animal is announced that no closer look has shown.
    private static let patience = 1500.0

    private let camera: Camera
    /// Milliseconds after which an animal that is out of sight has gone.
    private let absence: Double
    private(set) var visits: [Visit] = []

    init(camera: Camera, absence: Double = 5000) {
        self.camera = camera
        self.absence = absence
    }

    /// What a picture changes.
    struct Change {
        var seen: [Visit] = []
        var left: [Visit] = []
    }

    /// - Parameters:
    ///   - milliseconds: of the stream, ascending.
    ///   - date: when the picture was taken.
    mutating func update(
        _ animals: [SeenAnimal], in picture: PixelBuffer, atMilliseconds milliseconds: Double, date: Date
    ) -> Change {
        var change = Change()
        let tracks = Set(animals.map(\.track))
        for animal in animals { take(animal, amongTracks: tracks, picture, milliseconds, date) }
        for index in visits.indices where !visits[index].isAnnounced && visits[index].lastMilliseconds == milliseconds {
            let animal = animals.first { $0.track == visits[index].track }
            guard animal?.isKnown ?? false || milliseconds - visits[index].firstMilliseconds >= Self.patience else {
                continue
            }
            visits[index].isAnnounced = true
            change.seen.append(visits[index])
        }
        change.left = remove { [absence] in milliseconds - $0.lastMilliseconds > absence }
        return change
    }

    /// The camera is gone, and with it everybody before it.
    mutating func end() -> [Visit] { remove { _ in true } }

    /// Whether somebody is there, or was just now.
    var isOccupied: Bool { !visits.isEmpty }

    /// - Returns: those that were announced: nobody heard of the others.
    private mutating func remove(where isGone: (Visit) -> Bool) -> [Visit] {
        let gone = visits.filter(isGone)
        visits.removeAll(where: isGone)
        return gone.filter(\.isAnnounced)
    }

    private mutating func take(
        _ animal: SeenAnimal, amongTracks tracks: Set<Int>, _ picture: PixelBuffer, _ milliseconds: Double, _ date: Date
    ) {
        let index: Int
        if let known = visits.firstIndex(where: { $0.track == animal.track }) {
            index = known
        } else if let again = visits.firstIndex(where: {
            !tracks.contains($0.track) && $0.sighting.label == animal.label
        }) {
            index = again
            visits[index].track = animal.track
        } else {
            guard visits.count < Self.limit else { return }
            visits.append(
                Visit(
                    track: animal.track,
                    sighting: Sighting(
                        id: ULID.next().description, camera: camera.id, cameraName: camera.name, label: animal.label,
                        confidence: animal.confidence, name: animal.label, first: date, last: date, box: animal.region),
                    worth: animal.worth, picture: picture, lastMilliseconds: milliseconds,
                    firstMilliseconds: milliseconds))
            index = visits.count - 1
        }
        visits[index].add(animal, picture, milliseconds, date)
    }
}

extension SightingTracker.Visit {
    fileprivate mutating func add(
        _ animal: SeenAnimal, _ picture: PixelBuffer, _ milliseconds: Double, _ date: Date
    ) {
        lastMilliseconds = milliseconds
        sighting.last = date
        sighting.label = animal.label
        if let breed = animal.breed { sighting.breed = breed }
        if let name = animal.individual {
            let before = individuals[name.label] ?? (0, 0)
            individuals[name.label] = (before.sum + name.confidence, max(before.best, name.confidence))
            // Among equals the one that comes first by name, so that the answer is always the same.
            if let best = individuals.max(by: { ($0.value.sum, $1.key) < ($1.value.sum, $0.key) }) {
                sighting.individual = Sighting.Name(label: best.key, confidence: best.value.best)
            }
        }
        guard animal.worth >= worth else { return }
        worth = animal.worth
        self.picture = picture
        sighting.box = animal.region
        sighting.confidence = animal.confidence
    }
}
