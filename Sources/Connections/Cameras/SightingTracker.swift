import Base
import Foundation
import Imaging
import Recognition

/// Combines the animals in one camera's pictures to sightings. A pure value.
///
/// The tracker loses an animal behind a flowerpot and gives it a new number when it comes out. Its return within a few
/// seconds counts as the same visit.
struct SightingTracker {
    struct Visit {
        /// Nil since the connection ended in which the animal was last seen.
        var track: Int?
        var sighting: Sighting
        var worth: Double
        var picture: PixelBuffer
        /// The newest answer for a scan of the animal. Nil if more than its kind was never known.
        var agreed: AgreedAnswer?
        /// The time of the last sighting, in milliseconds.
        var lastMilliseconds: Double
        let firstMilliseconds: Double
        var isAnnounced = false
        /// The names recognised so far, each with the sum and the best of its confidence.
        var individuals: [String: (sum: Double, best: Double)] = [:]
    }

    /// The most animals before one camera at a time. Further ones are ignored.
    private static let limit = 32
    /// How long names are gathered before an animal is announced without a classified crop, in milliseconds.
    private static let patience = 1500.0
    /// How long an animal must be out of sight to count as gone, in milliseconds.
    private static let absence = 5000.0
    /// How long an animal may be out of sight because the camera is away, in milliseconds.
    private static let interruption = 20_000.0

    let camera: Camera
    private(set) var visits: [Visit] = []
    /// The time since which the camera has been connected. Infinite while it is away.
    private(set) var connected = 0.0

    /// The arrivals and departures that a picture causes.
    struct Change {
        var seen: [Visit] = []
        var left: [Visit] = []
    }

    /// - Parameters:
    ///   - milliseconds: the time since any moment, ascending.
    ///   - date: the time at which the picture was taken.
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
        change.left = removeAbsent(atMilliseconds: milliseconds)
        return change
    }

    /// Prepares for the pictures of another connection, which numbers its own tracks.
    ///
    /// - Returns: the visits that the interruption ends.
    mutating func connect(atMilliseconds milliseconds: Double) -> [Visit] {
        connected = milliseconds
        for index in visits.indices { visits[index].track = nil }
        return removeAbsent(atMilliseconds: milliseconds)
    }

    /// Keeps the visits while the camera is away for a moment. Call it now and then until the camera is back.
    ///
    /// - Returns: the visits that the interruption ends.
    mutating func disconnect(atMilliseconds milliseconds: Double) -> [Visit] {
        connected = .infinity
        return removeAbsent(atMilliseconds: milliseconds)
    }

    /// Ends all visits.
    mutating func end() -> [Visit] { remove { _ in true } }

    /// Whether an animal is or was just present.
    var isOccupied: Bool { !visits.isEmpty }

    private mutating func removeAbsent(atMilliseconds milliseconds: Double) -> [Visit] {
        remove { [connected] visit in
            milliseconds - max(visit.lastMilliseconds, connected) > Self.absence
                || milliseconds - visit.lastMilliseconds > Self.interruption
        }
    }

    /// - Returns: the removed visits that were announced. Listeners know nothing of the others.
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
            $0.track.map { !tracks.contains($0) } ?? true && $0.sighting.label == animal.label
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
    fileprivate mutating func add(_ animal: SeenAnimal, _ picture: PixelBuffer, _ milliseconds: Double, _ date: Date) {
        lastMilliseconds = milliseconds
        sighting.last = date
        // A breed of another kind of animal was wrong.
        if sighting.label != animal.label { (sighting.label, sighting.breed, agreed) = (animal.label, nil, nil) }
        sighting.breed = animal.breed ?? sighting.breed
        agreed = animal.agreed ?? agreed
        if let name = animal.individual {
            let before = individuals[name.label] ?? (0, 0)
            individuals[name.label] = (before.sum + name.confidence, max(before.best, name.confidence))
            // A tie goes by name, so that the result is always the same.
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
