import Base
import Imaging

/// Leaves one box of the several that a detector gives for one thing.
package enum NonMaximumSuppression {
    /// Boxes that are looked at, the surest: the work grows with the square.
    static let maximumCandidates = 1000

    /// Share of the smaller of two boxes of one class from different views that lies in the larger, above which both are
    /// one: a tile that shows half a cat gives a box of that half.
    static let containment = 0.6

    /// Intersection over union above which boxes of any two classes show one thing.
    static let samePlace = 0.75

    /// Share of the smaller of two boxes of a family that lies in the other, above which it is a part of it where it is
    /// less sure than ``lesser`` times the other.
    static let inside = 0.85
    static let lesser: Float = 0.8

    /// What the score of a class that was never taught by boxes counts among others.
    static let unboxedShare: Float = 0.5

    /// A box before it is known which of them show the same thing.
    package struct Candidate: Sendable, Equatable {
        let region: PictureRegion
        /// Index of the class.
        let label: Int
        let confidence: Float
        /// Which picture of the photo it was seen in: 0 for the whole one, from 1 on the tiles.
        var view = 0
        /// What the network gives to each class there; empty where nobody asked.
        var scores: [Float] = []
    }

    /// Goes from the surest box to the least sure and drops those that overlap a kept one of their class. What is surely seen
    /// in the whole photo goes before what is seen in tiles, which may show parts of it.
    ///
    /// - Parameters:
    ///   - overlap: intersection over union, 0…1, above which two boxes are one.
    ///   - limit: boxes that are kept at most.
    ///   - sure: from which confidence on a box of the whole photo goes first.
    /// - Returns: the surest first; equally sure ones in the order in which they came.
    static func keep(_ candidates: [Candidate], overlap: Double, limit: Int, sure: Float = 0) -> [Candidate] {
        keep(candidates, limit: limit, sure: sure) { isSame($0, $1, overlap: overlap) }
    }

    /// The same across classes: one thing has one box, whatever it may be called.
    ///
    /// Of the boxes around one animal that stays whose named animals have most: what was taught by boxes knows what fits.
    ///
    /// - Parameters:
    ///   - labels: of the classes.
    ///   - least: what an animal's place needs of any animal.
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
            // A part of an animal is seen as a lesser animal of its own, in a tile as an animal of any kind.
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
        // Where both lie upon each other one is enough: each knows what the other may be.
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
        let order = candidates.indices.sorted { left, right in
            (ranks[right], left) < (ranks[left], right)
        }.prefix(maximumCandidates)
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
