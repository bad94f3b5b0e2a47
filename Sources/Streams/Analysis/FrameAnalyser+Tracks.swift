import Imaging
import Recognition

/// Turns boxes into tracks, and reports the credible ones.
extension FrameAnalyser {
    /// Below this score of its likeliest class a detection is doubtful, and its crop is classified too.
    private static let doubt: Float = 0.6

    func track(_ result: FrameResult, atMilliseconds milliseconds: Double) -> [TrackedObject] {
        guard models?.detector != nil else { return [] }
        let sure = Double(result.confidence)
        var tracker =
            tracker
            ?? MultiObjectTracker(
                options: TrackingOptions(
                    highConfidence: sure, lowConfidence: sure * Double(FrameOptions.doubt), newTrackConfidence: sure))
        let objects = tracker.update(
            result.boxes.map {
                Observation(
                    box: $0.region, label: Animals.family(of: $0.label), confidence: Double($0.confidence))
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

    /// The credible tracks, without duplicates of one animal or object, under the numbers that they are shown by.
    func shown(_ objects: [TrackedObject], in image: ImageInfo) -> [TrackedBox] {
        let people = people(among: objects, in: image)
        let believed = objects.filter(isShown).compactMap { object -> (box: TrackedBox, strength: Float)? in
            guard let known = evidence[object.track], var box = box(of: object) else { return nil }
            box.name = people[object.track] ?? box.name
            // A long track is less likely to be a false detection.
            let age = Float(min(object.sightings, TrackedObject.settled)) / Float(TrackedObject.settled)
            return (box, known.strength * (0.5 + 0.5 * age))
        }.sorted { ($1.strength, $0.box.object.track) < ($0.strength, $1.box.object.track) }
        var kept: [TrackedBox] = []
        var hidden: [Int: Int] = [:]
        for (box, _) in believed {
            guard let other = kept.first(where: { Self.isSame(box, as: $0) }) else {
                kept.append(box)
                continue
            }
            if Animals.isAlike(box.name, other.name) { hidden[box.object.track] = other.object.track }
        }
        // The pieces of a file's tracks are joined at its end, with their names.
        if budget.isLive {
            numbers.show(kept.map(\.object.track), hiding: hidden, known: Set((tracker?.objects ?? []).map(\.track)))
            for index in kept.indices { kept[index].object.track = numbers.number(of: kept[index].object.track) }
        }
        return kept.sorted { $0.object.track < $1.object.track }
    }

    /// The box of a track with its name. Nil without a name, or outside the picture.
    func box(of object: TrackedObject) -> TrackedBox? {
        let region = region(of: object)
        guard let known = evidence[object.track], let name = known.name, region.area > 0 else { return nil }
        return TrackedBox(object: object, region: region, name: name, classification: known.classification)
    }

    /// The names of the tracks that turn out to be people beside an animal.
    private func people(among objects: [TrackedObject], in image: ImageInfo) -> [Int: RegionName] {
        let named = objects.filter(isShown).compactMap { object -> (track: Int, box: DetectedBox)? in
            guard let known = evidence[object.track], let name = known.name else { return nil }
            var box = DetectedBox(
                region: region(of: object), label: name.label, confidence: name.confidence, scores: known.scores)
            box.name = name
            return (object.track, box)
        }
        let people = RegionNames.people(
            among: named.map(\.box), inWidth: image.width, height: image.height)
        return Dictionary(people.map { (named[$0.key].track, $0.value) }) { $1 }
    }

    /// Whether a box shows the same object as a surer one, or a part of it.
    private static func isSame(_ box: TrackedBox, as other: TrackedBox) -> Bool {
        guard Animals.family(of: other.name.label) == Animals.family(of: box.name.label) else { return false }
        let shared = other.region.intersection(with: box.region)
        if other.region.overlap(with: box.region) > samePlace { return true }
        if box.region.area < other.region.area && shared > inside * box.region.area { return true }
        if Animals.areOne(box.name, box.region, other.name, other.region) { return true }
        // A loose box comes and goes around an animal that is followed for long.
        return Animals.labels.contains(box.name.label) && box.object.sightings < TrackedObject.settled
            && other.object.sightings >= TrackedObject.settled
            && shared > mostly * min(box.region.area, other.region.area)
    }

    /// Two boxes of one family show the same object from this intersection over union on, or if this share of one lies
    /// in the other.
    private static let samePlace = 0.5
    private static let inside = 0.8
    /// Share of the smaller box from which on a new box shows the animal of an old one.
    private static let mostly = 0.6

    /// A track is reported when it is confirmed and no classified crop contradicts it.
    func isShown(_ object: TrackedObject) -> Bool {
        guard object.isConfirmed, let known = evidence[object.track], known.isShown else { return false }
        return !needsLook(known) || known.isCredible(afterSightings: object.sightings)
    }

    /// Whether the classifier knows words for this track.
    func needsLook(_ known: RegionEvidence) -> Bool {
        guard let names, let scores = known.scores, let best = scores.likeliest,
            names.knows(scores.labels[best]), !scores.isHolder
        else { return false }
        return scores.animal >= RegionNames.leastAnimal && scores.labels[best] != Decision.person
            || scores.scores[best] < Self.doubt
    }

    func region(of object: TrackedObject) -> PictureRegion {
        (object.observed ?? object.box).clipped
    }
}
