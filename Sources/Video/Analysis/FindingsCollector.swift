import Base
import Imaging
import Recognition
package import Streams

/// Collects the answers for the pictures of a video, in their order. A pure value.
package struct FindingsCollector: Sendable {
    private var tracks: [Int: VideoFindings.Track] = [:]
    private var scenes: [VideoFindings.Scene] = []
    /// The times of the pictures in milliseconds, in their order.
    private var pictures: [Int] = []
    private var wasSearched = false
    /// Tracks that were confirmed once. The others are false detections.
    private var confirmed: Set<Int> = []
    /// Tracks that were false detections when they were last seen.
    private var faint: Set<Int> = []
    /// The boxes that were not sure enough to be shown, in the order of their times.
    private var doubtful: [VideoFindings.Box] = []

    /// The longest interruption of a scene, in milliseconds. In a film with few pictures it is twice the time between
    /// the two pictures before.
    private static let pause = 1000
    /// In all but short films, a track seen less often than this and for a shorter time is dropped as a false
    /// detection.
    private static let whim = (boxes: 3, milliseconds: 250)

    /// The least intersection over union of a doubtful box with the path of a track.
    private static let onPath = 0.4
    /// From this intersection over union with another track's box on, a doubtful box shows that track's object.
    private static let samePlace = 0.5

    /// The least confidence of a track's final name.
    private static let believed = 0.4

    package init() {}

    /// - Returns: the tracks that this picture confirmed.
    @discardableResult package mutating func add(_ answer: FrameAnswer, at milliseconds: Int) -> [VideoFindings.Track] {
        let step = pictures.count < 2 ? 0 : pictures[pictures.count - 1] - pictures[pictures.count - 2]
        pictures.append(milliseconds)
        wasSearched = wasSearched || answer.wasSearched
        var new: [VideoFindings.Track] = []
        faint.formUnion(answer.faint)
        for tracked in answer.boxes where tracked.object.isInSight {
            let number = tracked.object.track
            faint.remove(number)
            add(tracked, at: milliseconds)
            if tracked.object.isConfirmed, confirmed.insert(number).inserted, let track = tracks[number] {
                new.append(track)
            }
        }
        // What was never shown fills no gap. So a long film does not pile up false detections.
        doubtful += answer.doubtful.filter { tracks[$0.object.track] != nil }.map { Self.box($0, at: milliseconds) }
        if let stable = answer.stable { add(stable, at: milliseconds, pause: max(Self.pause, 2 * step)) }
        return new
    }

    private mutating func add(_ tracked: TrackedBox, at milliseconds: Int) {
        let object = tracked.object
        let box = Self.box(tracked, at: milliseconds)
        let sight = VideoFindings.Best(milliseconds: milliseconds, confidence: box.confidence, box: box)
        var track =
            tracks[object.track]
            ?? VideoFindings.Track(
                track: object.track, label: tracked.name.label, first: milliseconds, last: milliseconds, best: sight,
                breeds: [], boxes: [])
        track.take(tracked.name)
        track.last = milliseconds
        track.boxes.append(box)
        if sight.worth > track.best.worth { track.best = sight }
        tracks[object.track] = track
    }

    private mutating func add(_ stable: StableLabel, at milliseconds: Int, pause: Int) {
        if let last = scenes.last, last.label == stable.label, last.head == stable.head,
            milliseconds - last.last <= pause
        {
            scenes[scenes.count - 1].last = milliseconds
            if stable.confidence > last.confidence {
                scenes[scenes.count - 1].confidence = stable.confidence.rounded4
                scenes[scenes.count - 1].best = milliseconds
            }
            return
        }
        scenes.append(
            VideoFindings.Scene(
                label: stable.label, head: stable.head, first: milliseconds, last: milliseconds, best: milliseconds,
                confidence: stable.confidence.rounded4))
    }

    /// - Parameter joins: whether the pieces of a track are joined. Otherwise the tracks stay as the tracker made them.
    package func findings(_ ending: VideoEnding, joins: Bool) -> VideoFindings {
        var findings = VideoFindings()
        let credible = confirmed.subtracting(faint)
        let tracks = tracks.values.filter { credible.contains($0.track) }.sorted { $0.track < $1.track }
        findings.tracks = joins ? TrackJoiner(pictures: pictures).joined(tracks) : tracks
        // A brief track in a long film is a false detection.
        if pictures.count > 10 {
            findings.tracks.removeAll {
                $0.boxes.count < Self.whim.boxes && $0.last - $0.first < Self.whim.milliseconds
            }
        } else if pictures.count > 2 {
            findings.tracks.removeAll { $0.boxes.count < 2 }
        }
        // A name that was likely for a while and not at the end was wrong.
        findings.tracks.removeAll { track in
            !track.words.isEmpty && track.confidence < Self.believed
        }
        fillGaps(in: &findings.tracks)
        for index in findings.tracks.indices {
            findings.tracks[index].best.confidence = findings.tracks[index].confidence
        }
        findings.scenes = scenes.filter { scene in !findings.tracks.contains { $0.shows(scene) } }
        findings.looked = pictures.count
        findings.wasSearched = wasSearched
        findings.ending = ending
        return findings
    }

    /// Adds the doubtful boxes that lie on a track's path, in the pictures in which the track was not shown. What was
    /// sure before and after is the same object in between.
    private func fillGaps(in tracks: inout [VideoFindings.Track]) {
        guard !doubtful.isEmpty else { return }
        let places = Dictionary(grouping: tracks.flatMap(\.boxes), by: \.milliseconds)
        let free = doubtful.filter { box in
            !(places[box.milliseconds] ?? []).contains { $0.region.overlap(with: box.region) > Self.samePlace }
        }
        for index in tracks.indices {
            let boxes = tracks[index].boxes
            var found: [Int: (box: VideoFindings.Box, overlap: Double)] = [:]
            // Both lists are in the order of time.
            var next = boxes.first.map { free.count(before: $0.milliseconds) } ?? 0
            for (before, after) in zip(boxes, boxes.dropFirst()) {
                while next < free.count, free[next].milliseconds < after.milliseconds {
                    let box = free[next]
                    next += 1
                    guard box.milliseconds > before.milliseconds else { continue }
                    let overlap = box.region.overlap(with: before.region(onWayTo: after, at: box.milliseconds))
                    if overlap >= max(Self.onPath, found[box.milliseconds]?.overlap ?? 0) {
                        found[box.milliseconds] = (box, overlap)
                    }
                }
            }
            guard !found.isEmpty else { continue }
            tracks[index].boxes = (boxes + found.values.map(\.box)).sorted { $0.milliseconds < $1.milliseconds }
        }
    }

    private static func box(_ tracked: TrackedBox, at milliseconds: Int) -> VideoFindings.Box {
        let region = tracked.region
        return VideoFindings.Box(
            milliseconds: milliseconds, x: region.x.rounded4, y: region.y.rounded4, width: region.width.rounded4,
            height: region.height.rounded4, confidence: tracked.object.confidence.rounded4)
    }
}

extension VideoFindings.Track {
    /// The number of breeds in the answer for a track.
    private static let breedCount = 3

    /// Whether an animal was followed for at least half of the scene. Its name is from more evidence than the whole
    /// picture's, which may contradict it.
    fileprivate func shows(_ scene: VideoFindings.Scene) -> Bool {
        let common = min(last, scene.last) - max(first, scene.first)
        return Animals.labels.contains(label) && common >= 0 && 2 * common >= scene.last - scene.first
    }

    /// The confidence in the name, or that of the best sight if the name is no longer among the words.
    fileprivate var confidence: Double {
        words.first { $0.label == label }.map { Double($0.rounded.confidence) } ?? best.confidence
    }

    /// Takes over the name that all sightings so far give.
    fileprivate mutating func take(_ name: RegionName) {
        label = name.label
        words = name.words.map(\.rounded)
        // The name may be a wider word that is not among the words.
        if !words.contains(where: { $0.label == label }) {
            words.insert(Prediction(label: label, confidence: name.confidence).rounded, at: 0)
        }
        breeds = name.breeds?.listed(Self.breedCount).map(\.rounded) ?? []
        isSureOfBreed = name.isSureOfBreed
        species = name.species.map { RegionName.Kind(head: $0.head, prediction: $0.prediction.rounded) }
    }
}
