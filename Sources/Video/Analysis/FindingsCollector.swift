import Imaging
package import Live
import Recognition
import Scans
import Tracking

/// Gathers the answers to the pictures of a video, in their order. A pure value.
package struct FindingsCollector: Sendable {
    private var tracks: [Int: VideoFindings.Track] = [:]
    private var scenes: [VideoFindings.Scene] = []
    private var looked = 0
    private var wasSearched = false
    /// Tracks that were confirmed once; others are a detector's whims.
    private var confirmed: Set<Int> = []

    /// Milliseconds that a label may be away from the picture and still be the same scene.
    private static let pause = 1000
    /// Breeds that a track is answered with.
    private static let breedCount = 3

    package init() {}

    /// - Returns: the tracks that were confirmed by this picture.
    @discardableResult package mutating func add(_ answer: FrameAnswer, at milliseconds: Int) -> [VideoFindings.Track] {
        looked += 1
        wasSearched = wasSearched || answer.wasSearched
        var new: [VideoFindings.Track] = []
        for tracked in answer.boxes where tracked.object.isInSight {
            let number = tracked.object.track
            add(tracked, at: milliseconds)
            if tracked.object.isConfirmed, confirmed.insert(number).inserted, let track = tracks[number] {
                new.append(track)
            }
        }
        if let stable = answer.stable { add(stable, at: milliseconds) }
        return new
    }

    private mutating func add(_ tracked: TrackedBox, at milliseconds: Int) {
        let object = tracked.object
        let region = tracked.region
        let box = VideoFindings.Box(
            milliseconds: milliseconds, x: Self.rounded(region.x), y: Self.rounded(region.y),
            width: Self.rounded(region.width), height: Self.rounded(region.height),
            confidence: Self.rounded(object.confidence))
        let sight = VideoFindings.Best(milliseconds: milliseconds, confidence: box.confidence, box: box)
        var track =
            tracks[object.track]
            ?? VideoFindings.Track(
                track: object.track, label: object.label, first: milliseconds, last: milliseconds, best: sight,
                breeds: [], boxes: [])
        track.label = object.label
        track.last = milliseconds
        track.boxes.append(box)
        if sight.worth > track.best.worth { track.best = sight }
        if let breeds = tracked.breeds {
            track.breeds = breeds.listed(Self.breedCount).map(\.rounded)
        }
        tracks[object.track] = track
    }

    private mutating func add(_ stable: StableLabel, at milliseconds: Int) {
        if let last = scenes.last, last.label == stable.label, last.head == stable.head,
            milliseconds - last.last <= Self.pause
        {
            scenes[scenes.count - 1].last = milliseconds
            if stable.confidence > last.confidence {
                scenes[scenes.count - 1].confidence = Self.rounded(stable.confidence)
                scenes[scenes.count - 1].best = milliseconds
            }
            return
        }
        scenes.append(
            VideoFindings.Scene(
                label: stable.label, head: stable.head, first: milliseconds, last: milliseconds, best: milliseconds,
                confidence: Self.rounded(stable.confidence)))
    }

    /// - Parameter interval: milliseconds between two pictures, over which the pieces of a track are joined; nil leaves
    ///   the tracks as the tracker had them.
    package func findings(_ ending: VideoEnding, joiningOver interval: Int? = nil) -> VideoFindings {
        var findings = VideoFindings()
        let tracks = tracks.values.filter { confirmed.contains($0.track) }.sorted { $0.track < $1.track }
        findings.tracks = interval.map { TrackJoiner(interval: $0).joined(tracks) } ?? tracks
        // What the very first picture shows is believed at once; where no other one shows it too it was a whim.
        if looked > 2 { findings.tracks.removeAll { $0.boxes.count < 2 } }
        findings.scenes = scenes
        findings.looked = looked
        findings.wasSearched = wasSearched
        findings.ending = ending
        return findings
    }

    /// To four decimals: half a pixel of the largest pictures.
    private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
