import Base
import Imaging

/// Keeps one of several boxes that a detector reports for the same object.
package enum NonMaximumSuppression {
    /// The largest number of boxes that are compared, the surest first. The work grows with the square.
    static let maximumCandidates = 1000

    /// A tile that shows half a cat reports a box for that half. Two boxes of one class from different views are the
    /// same object if more than this share of the smaller lies in the larger.
    static let containment = 0.6

    /// Boxes of different classes show the same object above this intersection over union.
    static let samePlace = 0.75

    /// A box is a part of another of its family if more than this share of it lies in the other, and its score is below
    /// ``lesser`` times the other's.
    static let inside = 0.85
    static let lesser: Float = 0.8

    /// The weight of the class that was trained without boxes, relative to the others.
    static let unboxedShare: Float = 0.5

    /// A box before duplicates are removed.
    package struct Candidate: Sendable, Equatable {
        let region: PictureRegion
        /// The index of the class.
        let label: Int
        let confidence: Float
        /// The view that shows it: 0 is the whole photo, from 1 on the tiles.
        var view = 0
        /// The scores of all classes. Empty unless requested.
        var scores: [Float] = []
    }

    /// Takes the boxes from the surest on, and drops each that overlaps a kept one of its class. Sure boxes of the
    /// whole photo go before those of tiles, which may show only parts.
    ///
    /// - Parameters:
    ///   - overlap: two boxes above this intersection over union, 0…1, are one.
    ///   - limit: the largest number of boxes.
    ///   - sure: from this confidence on a box of the whole photo goes first.
    /// - Returns: the surest boxes first. Equal ones keep their order.
    static func keep(_ candidates: [Candidate], overlap: Double, limit: Int, sure: Float = 0) -> [Candidate] {
        keep(candidates, limit: limit, sure: sure) { isSame($0, $1, overlap: overlap) }
    }

    /// Does the same across classes, so that one object has one box.
    ///
    /// Of several boxes around one animal, the best score of a named animal class wins. Those classes were trained with
    /// boxes, so they know what fits.
    ///
    /// - Parameters:
    ///   - labels: the names of the classes.
    ///   - least: the least score of any animal class for an animal's box.
    static func places(
        _ candidates: [Candidate], labels: [String], overlap: Double, limit: Int, sure: Float = 0, from least: Float
    ) -> [Candidate] {
        let families = labels.map(Animals.family)
        let named = labels.indices.filter { Animals.labels.contains(labels[$0]) && labels[$0] != Animals.other }
        let other = labels.firstIndex(of: Animals.other)
        func animal(_ candidate: Candidate) -> Float {
            named.reduce(other.map { unboxedShare * candidate.scores[$0] } ?? 0) { max($0, candidate.scores[$1]) }
        }
        let animals = keep(
            candidates.filter { animal($0) >= least }, limit: limit, sure: sure, rank: animal
        ) { kept, candidate in
            if kept.region.overlap(with: candidate.region) > overlap { return true }
            // Part of an animal looks like another animal with a lower score. In a tile it may look like an animal of
            // any kind.
            let smaller = min(kept.region.area, candidate.region.area)
            let shared = kept.region.intersection(with: candidate.region)
            if kept.view != candidate.view { return shared > containment * smaller }
            return shared > inside * smaller && animal(candidate) < lesser * animal(kept)
        }
        let things = keep(
            candidates.filter { families[$0.label] != RegionNames.animal }, limit: limit, sure: sure
        ) { kept, candidate in
            if isSame(kept, candidate, overlap: overlap) { return true }
            let isOfFamily = families[kept.label] == families[candidate.label]
            return kept.region.overlap(with: candidate.region) > (isOfFamily ? overlap : samePlace)
        }
        // An animal and an object in the same place are one. The kept box has the scores of both.
        func isAnimal(_ animal: Float, _ thing: Candidate) -> Bool {
            animal >= DetectorScores.likeness * thing.confidence
        }
        func isThere(_ first: Candidate, _ second: Candidate) -> Bool {
            first.region.overlap(with: second.region) > samePlace - 0.1
        }
        let solid = things.filter { labels[$0.label] != Decision.person }
        let left = animals.filter { place in !solid.contains { isThere(place, $0) && !isAnimal(animal(place), $0) } }
        let rest = things.filter { thing in
            labels[thing.label] == Decision.person
                || !left.contains { isThere($0, thing) && isAnimal(animal($0), thing) }
        }
        return Array((left + rest).prefix(2 * limit))
    }

    private static func keep(
        _ candidates: [Candidate], limit: Int, sure: Float, rank: (Candidate) -> Float = { $0.confidence },
        same: (_ kept: Candidate, _ candidate: Candidate) -> Bool
    ) -> [Candidate] {
        let ranks = candidates.map(rank)
        let order = candidates.indices.sorted { ranks[$0] > ranks[$1] }.prefix(maximumCandidates)
        func isFirst(_ index: Int) -> Bool { candidates[index].view == 0 && candidates[index].confidence >= sure }
        var kept: [Int] = []
        for index in order.filter(isFirst) + order.filter({ !isFirst($0) }) {
            let candidate = candidates[index]
            let isNew = kept.allSatisfy { !same(candidates[$0], candidate) }
            if isNew { kept.append(index) }
        }
        let position = Dictionary(uniqueKeysWithValues: zip(order, 0...))
        return kept.sorted { position[$0, default: 0] < position[$1, default: 0] }.prefix(limit).map { candidates[$0] }
    }

    private static func isSame(_ first: Candidate, _ second: Candidate, overlap: Double) -> Bool {
        guard first.label == second.label else { return false }
        if first.region.overlap(with: second.region) > overlap { return true }
        guard first.view != second.view else { return false }
        let smaller = min(first.region.area, second.region.area)
        return first.region.intersection(with: second.region) > containment * smaller
    }
}
