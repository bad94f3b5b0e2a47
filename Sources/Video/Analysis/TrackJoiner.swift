import Base
import Imaging
import Recognition
import Streams

/// Joins the pieces of a track when the whole video is known. A pure value.
///
/// A tracker that must answer at every picture begins a new track after a gap in the detections, after a jump of more
/// than the animal's length, and after a change of the label: a dog that is a cow for three pictures has two tracks,
/// one on top of the other. With the later pictures known, such pieces can be recognised.
package struct TrackJoiner: Sendable {
    private typealias Track = VideoFindings.Track
    private typealias Box = VideoFindings.Box

    /// The longest time out of sight: milliseconds, or in a film with few pictures this many of them.
    private static let longestGap = (milliseconds: 2_000, pictures: 3)
    /// The least mean intersection over union of two tracks that are one object, in the pictures that have both.
    private static let samePlace = 0.6
    /// The least share of the shorter track's pictures that must also have the other track.
    private static let together = 0.5
    /// The longest time in milliseconds between the boxes of two tracks that take turns.
    private static let turn = 500
    /// A track with few boxes that is in sight in less than this share of its pictures is a false detection.
    private static let flicker = (boxes: 10, share: 1.0 / 3)
    /// The largest distance from the real or extrapolated end of one piece to the beginning of the next, in mean
    /// extents of the two: immediately, and for each second of the gap.
    private static let reach = (atOnce: 0.6, aSecond: 0.4)
    /// The time for which motion is extrapolated, in milliseconds.
    private static let momentum = 1_500
    /// The number of sightings that determine the size and the motion at an end of a piece.
    private static let stretch = 8
    /// From this confidence on, two different breeds exclude each other.
    private static let sure: Float = 0.8
    /// The least share of common words of two pieces whose names are of different families.
    private static let common: Float = 0.15
    /// A part lies within the whole by this share, and its confidence is lower by this factor.
    private static let inside = 0.8
    private static let lesser = 0.97
    /// A short track shows the animal of a longer one if they share more than this of the smaller box.
    private static let shared = 0.6
    /// Two tracks are different objects if each is this sure of another name and they share no more than this.
    private static let surelyOther: (each: Float, common: Float) = (0.6, 0.05)

    /// The times of all analysed pictures in milliseconds, in ascending order.
    private let pictures: [Int]
    /// The longest time out of sight, in milliseconds.
    private let gap: Int

    package init(pictures: [Int]) {
        self.pictures = pictures
        // The median, because a camera that records motion pauses for hours.
        let steps = zip(pictures.dropFirst(), pictures).map(-).sorted()
        let usual = steps.isEmpty ? 0 : steps[steps.count / 2]
        gap = max(Self.longestGap.milliseconds, Self.longestGap.pictures * usual)
    }

    /// The tracks with their pieces joined, sorted by number. A joined track has the number of its first piece.
    package func joined(_ tracks: [VideoFindings.Track]) -> [VideoFindings.Track] {
        var tracks = tracks
        // Joined tracks may allow further joins that their pieces did not.
        while true {
            let count = tracks.count
            tracks = chained(withoutDoubles(tracks))
            if tracks.count == count {
                return withoutParts(tracks).filter { !isFlicker($0) }.sorted { $0.track < $1.track }
            }
        }
    }

    /// Removes tracks that show a part of another track's animal, or its surroundings as well.
    private func withoutParts(_ tracks: [Track]) -> [Track] {
        let ranked = tracks.map { (track: $0, strength: strength($0)) }
        return ranked.filter { part in
            !ranked.contains { whole in
                Self.overlapInTime(part.track, whole.track) && part.strength < Self.lesser * whole.strength
                    && Animals.family(of: part.track.label) == Animals.family(of: whole.track.label)
                    && (isPart(part.track, of: whole.track) || isPassing(part.track, beside: whole.track))
            }
        }.map(\.track)
    }

    /// Whether a track mostly lies in a larger one, as a head or a leg does.
    private func isPart(_ part: Track, of whole: Track) -> Bool {
        isMostly(part, with: whole) { part, whole in
            whole.area > part.area && whole.intersection(with: part) > Self.inside * part.area
        }
    }

    /// Whether a track of an animal comes and goes while a longer one is around or in it.
    private func isPassing(_ part: Track, beside whole: Track) -> Bool {
        Animals.labels.contains(part.label) && 2 * part.boxes.count <= whole.boxes.count
            && isMostly(part, with: whole) { part, whole in
                whole.intersection(with: part) > Self.shared * min(part.area, whole.area)
            }
    }

    /// Whether a condition holds in most of a track's pictures.
    ///
    /// - Parameter condition: compares its box with the other track's.
    private func isMostly(
        _ track: Track, with other: Track, _ condition: (PictureRegion, PictureRegion) -> Bool
    ) -> Bool {
        let least = Self.together * Double(track.boxes.count)
        guard Double(other.boxes.count) >= least else { return false }
        return Double(track.boxes.inPictures(of: other.boxes).count { condition($0.region, $1.region) }) >= least
    }

    private func isFlicker(_ track: Track) -> Bool {
        let count = Double(pictures.leadingCount { $0 < track.last } - pictures.leadingCount { $0 < track.first } + 1)
        return track.boxes.count < Self.flicker.boxes && Double(track.boxes.count) < Self.flicker.share * count
    }

    /// The mean confidence of the detections.
    private func strength(_ track: Track) -> Double { weight(track) / Double(max(1, track.boxes.count)) }

    // MARK: One upon the other

    private func withoutDoubles(_ tracks: [Track]) -> [Track] {
        var kept: [Track] = []
        // The longest come first and absorb the tracks on top of them.
        for track in tracks.sorted(by: { ($1.boxes.count, $0.track) < ($0.boxes.count, $1.track) }) {
            if let index = kept.firstIndex(where: { isDouble(track, of: $0) || takesTurns(track, with: $0) }) {
                kept[index] = union(kept[index], track)
            } else {
                kept.append(track)
            }
        }
        return kept
    }

    private func isDouble(_ track: Track, of other: Track) -> Bool {
        guard Self.overlapInTime(track, other), Self.areKin(track, other) else { return false }
        let overlaps = overlaps(track, other)
        guard !overlaps.isEmpty, Double(overlaps.count) >= Self.together * Double(track.boxes.count) else {
            return false
        }
        return overlaps.reduce(0, +) / Double(overlaps.count) >= Self.samePlace
    }

    /// Whether the detector draws two boxes around one animal in turn, a tight and a loose one: most boxes of the track
    /// lie around or in the other track's nearest box in time, and most of its pictures lack the other track.
    private func takesTurns(_ track: Track, with other: Track) -> Bool {
        guard track.first <= other.last + Self.turn, other.first <= track.last + Self.turn,
            Animals.labels.contains(track.label), track.label == other.label,
            !Self.differ(track.breeds, other.breeds), !other.boxes.isEmpty
        else { return false }
        let half = Self.together * Double(track.boxes.count)
        guard Double(overlaps(track, other).count) <= half else { return false }
        var index = max(0, other.boxes.count(before: track.first) - 1)
        let count = track.boxes.count { box in
            func distance(_ index: Int) -> Int { abs(other.boxes[index].milliseconds - box.milliseconds) }
            while index + 1 < other.boxes.count, distance(index + 1) <= distance(index) { index += 1 }
            guard distance(index) <= Self.turn else { return false }
            let (mine, others) = (box.region, other.boxes[index].region)
            return mine.intersection(with: others) > Self.inside * min(mine.area, others.area)
        }
        return Double(count) >= half
    }

    /// The overlaps in all pictures that have both tracks.
    private func overlaps(_ first: Track, _ second: Track) -> [Double] {
        first.boxes.inPictures(of: second.boxes).map { $0.region.overlap(with: $1.region) }
    }

    private static func overlapInTime(_ track: Track, _ other: Track) -> Bool {
        track.first <= other.last && other.first <= track.last
    }

    // MARK: One after the other

    private func chained(_ tracks: [Track]) -> [Track] {
        let ordered = tracks.sorted { ($0.first, $0.track) < ($1.first, $1.track) }
        var pairs: [(cost: Double, from: Int, to: Int)] = []
        for (from, track) in ordered.enumerated() {
            for to in ordered.indices.dropFirst(from + 1) {
                let next = ordered[to]
                guard next.first - track.last <= gap else { break }
                guard next.first > track.first, next.last > track.last else { continue }
                if let cost = cost(from: track, to: next) { pairs.append((cost, from, to)) }
            }
        }
        var (successor, hasPredecessor): ([Int: Int], Set<Int>) = ([:], [])
        for pair in pairs.sorted(by: { ($0.cost, $0.from, $0.to) < ($1.cost, $1.from, $1.to) })
        where successor[pair.from] == nil && !hasPredecessor.contains(pair.to) {
            successor[pair.from] = pair.to
            hasPredecessor.insert(pair.to)
        }
        return ordered.indices.filter { !hasPredecessor.contains($0) }.map { start in
            var (track, index) = (ordered[start], start)
            while let next = successor[index] {
                track = union(track, ordered[next])
                index = next
            }
            return track
        }
    }

    /// The dissimilarity of two pieces. Nil if they cannot be one track.
    private func cost(from track: Track, to next: Track) -> Double? {
        guard Self.areKin(track, next), !Self.differ(track.breeds, next.breeds) else { return nil }
        let shared = overlaps(track, next)
        if !shared.isEmpty {
            // During a change of label, both tracks exist for a moment, one on top of the other.
            guard shared.count <= 2, shared.reduce(0, +) / Double(shared.count) >= Self.samePlace else { return nil }
            return 0
        }
        let (ending, beginning) = (track.boxes.suffix(Self.stretch), next.boxes.prefix(Self.stretch))
        let time = next.first - track.last
        guard time > 0, let last = ending.last.map({ Self.whole($0, among: ending) }),
            let first = beginning.first.map({ Self.whole($0, among: beginning) }), last.isOfSize(of: first)
        else { return nil }
        let seconds = Double(time) / 1000
        let distance = min(
            last.distance(to: first), Self.moved(last, as: ending, by: time).distance(to: first),
            Self.moved(first, as: beginning, by: -time).distance(to: last))
        guard distance <= Self.reach.atOnce + Self.reach.aSecond * seconds else { return nil }
        return distance + 0.3 * seconds + (track.label == next.label ? 0 : 0.2)
    }

    /// Enlarges a box to the full size of the object. The boxes of an object that goes behind something shrink.
    private static func whole(_ box: Box, among boxes: ArraySlice<Box>) -> PictureRegion {
        let (width, height) = (boxes.map(\.width).max() ?? box.width, boxes.map(\.height).max() ?? box.height)
        return PictureRegion(
            x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width: width, height: height)
    }

    /// Extrapolates a box by the motion of a piece.
    private static func moved(_ box: PictureRegion, as piece: ArraySlice<Box>, by time: Int) -> PictureRegion {
        guard let first = piece.first, let last = piece.last, last.milliseconds > first.milliseconds else { return box }
        let share = Double(min(max(time, -momentum), momentum)) / Double(last.milliseconds - first.milliseconds)
        let (start, end) = (first.region, last.region)
        return PictureRegion(
            x: box.x + (end.centreX - start.centreX) * share, y: box.y + (end.centreY - start.centreY) * share,
            width: box.width, height: box.height)
    }

    // MARK: Parts

    /// Whether the names allow that the two are one object.
    private static func areKin(_ track: Track, _ other: Track) -> Bool {
        if track.label == other.label { return true }
        let (mine, others) = (track.words.first, other.words.first)
        if let mine, let others, mine.label != others.label,
            min(mine.confidence, others.confidence) >= surelyOther.each, shared(track, other) < surelyOther.common
        {
            return false
        }
        return Animals.family(of: track.label) == Animals.family(of: other.label) || shared(track, other) >= common
    }

    /// The agreement on words. It is 1 if both agree fully.
    private static func shared(_ track: Track, _ other: Track) -> Float {
        track.words.reduce(0) { sum, word in
            sum + min(word.confidence, other.words.first { $0.label == word.label }?.confidence ?? 0)
        }
    }

    private static func differ(_ breeds: [Prediction], _ others: [Prediction]) -> Bool {
        guard let first = breeds.first, let second = others.first else { return false }
        return first.label != second.label && min(first.confidence, second.confidence) >= sure
    }

    /// Merges two tracks. The more confident box of each picture wins, and the label with the larger sum of confidence.
    private func union(_ first: Track, _ second: Track) -> Track {
        let isEarlier = (first.first, first.track) <= (second.first, second.track)
        var track = isEarlier ? first : second
        let other = isEarlier ? second : first
        let weights = (weight(track), weight(other))
        let breeds = other.label == track.label ? Self.votes(track.breeds, weights.0, other.breeds, weights.1) : nil
        if weights.1 > weights.0 {
            (track.label, track.breeds, track.isSureOfBreed) = (other.label, other.breeds, other.isSureOfBreed)
            (track.words, track.species) = (other.words, other.species)
        }
        track.breeds = breeds ?? track.breeds
        track.boxes = track.boxes.merged(with: other.boxes)
        track.track = min(track.track, other.track)
        (track.first, track.last) = (min(track.first, other.first), max(track.last, other.last))
        if other.best.worth > track.best.worth { track.best = other.best }
        return track
    }

    private func weight(_ track: Track) -> Double { track.boxes.reduce(0) { $0 + $1.confidence } }

    /// The weighted mean of two answers, as long as the longer one.
    private static func votes(
        _ first: [Prediction], _ weight: Double, _ second: [Prediction], _ otherWeight: Double
    ) -> [Prediction] {
        guard !first.isEmpty, !second.isEmpty else { return first.isEmpty ? second : first }
        var sums: [String: Double] = [:]
        for vote in first { sums[vote.label, default: 0] += Double(vote.confidence) * weight }
        for vote in second { sums[vote.label, default: 0] += Double(vote.confidence) * otherWeight }
        return sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(max(first.count, second.count)).map {
            Prediction(label: $0.key, confidence: Float($0.value / (weight + otherWeight))).rounded
        }
    }
}
