import Imaging
import Recognition

/// Boxes become tracks, and tracks that are believed are shown.
extension FrameAnalyser {
    /// What may be an animal is looked at closer: this much of one the detector sees, or it doubts what it sees.
    private static let leastAnimal: Float = 0.06
    private static let doubt: Float = 0.6
    /// Sights after which something is shown that could not be looked at yet.
    private static let patience = 4

    func track(_ result: FrameResult, atMilliseconds milliseconds: Double) -> [TrackedObject] {
        guard models?.detector != nil else { return [] }
        let sure = Double(result.confidence)
        var tracker =
            tracker
            ?? MultiObjectTracker(
                options: TrackingOptions(
                    highConfidence: sure, lowConfidence: sure * Double(FrameOptions().doubt), newTrackConfidence: sure))
        let objects = tracker.update(
            result.boxes.map {
                Observation(
                    box: BoundingBox($0.region), label: Animals.family(of: $0.label),
                    confidence: Double($0.confidence))
            }, atMilliseconds: milliseconds)
        for object in self.tracker?.objects ?? [] where !tracker.objects.contains(where: { $0.track == object.track }) {
            if let known = evidence.removeValue(forKey: object.track) {
                rejected.add(object.box, known, atMilliseconds: milliseconds)
            }
        }
        self.tracker = tracker
        for object in objects {
            guard let index = object.observation else { continue }
            var known =
                evidence[object.track] ?? rejected.evidence(at: object.box, atMilliseconds: milliseconds)
                ?? RegionEvidence()
            known.add(result.boxes[index])
            known.decide(by: names)
            evidence[object.track] = known
        }
        let known = Set(tracker.objects.map(\.track))
        evidence = evidence.filter { known.contains($0.key) }
        taps.keep(tracks: known)
        return objects
    }

    /// The tracks that are believed, each animal and thing once.
    func shown(_ objects: [TrackedObject]) -> [TrackedBox] {
        let believed = objects.filter(isShown).compactMap { object -> (box: TrackedBox, strength: Float)? in
            guard let known = evidence[object.track], let name = known.name else { return nil }
            let region = region(of: object)
            guard region.area > 0 else { return nil }
            // What is followed for long is no part that flickers up.
            let age = Float(min(object.sightings, Self.settled)) / Float(Self.settled)
            let box = TrackedBox(object: object, region: region, name: name, classification: known.classification)
            return (box, known.strength * (0.5 + 0.5 * age))
        }.sorted { ($1.strength, $0.box.object.track) < ($0.strength, $1.box.object.track) }
        var kept: [TrackedBox] = []
        for (box, _) in believed where !kept.contains(where: { Self.isSame(box, as: $0) }) { kept.append(box) }
        return kept.sorted { $0.object.track < $1.object.track }
    }

    /// Sightings after which a track counts in full.
    private static let settled = 10

    /// Whether a box shows what a surer one shows, or a part of it.
    private static func isSame(_ box: TrackedBox, as other: TrackedBox) -> Bool {
        guard Animals.family(of: other.name.label) == Animals.family(of: box.name.label) else { return false }
        return other.region.overlap(with: box.region) > samePlace
            || box.region.area < other.region.area
                && other.region.intersection(with: box.region) > inside * box.region.area
    }

    /// Intersection over union, and share that lies in the other, from which on two boxes of one family are one.
    private static let samePlace = 0.5
    private static let inside = 0.8

    /// A track is believed once it is no whim of the detector, and the classifier, where it has a say, does not contradict.
    func isShown(_ object: TrackedObject) -> Bool {
        guard object.isConfirmed, let known = evidence[object.track], known.isShown else { return false }
        return known.looks > 0 || !needsLook(known) || object.sightings >= Self.patience
    }

    /// Whether the classifier has something to say of it.
    func needsLook(_ known: RegionEvidence) -> Bool {
        guard options.findsBreeds, let names, let scores = known.scores, let best = scores.likeliest,
            names.knows(scores.labels[best]), !scores.isHolder
        else { return false }
        return scores.animal >= Self.leastAnimal && scores.labels[best] != "person" || scores.scores[best] < Self.doubt
    }

    func region(of object: TrackedObject) -> PictureRegion {
        PictureRegion(object.observed ?? object.box)
    }
}
