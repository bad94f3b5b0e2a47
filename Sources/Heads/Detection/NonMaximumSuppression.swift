import Imaging
import Scans

/// Leaves one box of the several that a detector gives for one thing.
package enum NonMaximumSuppression {
    /// Boxes that are looked at, the surest: the work grows with the square.
    static let maximumCandidates = 1000

    /// Share of the smaller of two boxes of one class from different views that lies in the larger, above which both are
    /// one: a tile that shows half a cat gives a box of that half.
    static let containment = 0.6

    /// A box before it is known which of them show the same thing.
    package struct Candidate: Sendable, Equatable {
        let region: PictureRegion
        /// Index of the class.
        let label: Int
        let confidence: Float
        /// Which picture of the photo it was seen in: 0 for the whole one, from 1 on the tiles.
        var view = 0
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
        let order = candidates.indices.sorted { left, right in
            (candidates[right].confidence, left) < (candidates[left].confidence, right)
        }.prefix(maximumCandidates)
        func isFirst(_ index: Int) -> Bool { candidates[index].view == 0 && candidates[index].confidence >= sure }
        var kept: [Int] = []
        for index in order.filter(isFirst) + order.filter({ !isFirst($0) }) {
            let candidate = candidates[index]
            let isNew = kept.allSatisfy { !isSame(candidates[$0], candidate, overlap: overlap) }
            if isNew { kept.append(index) }
        }
        let rank = Dictionary(uniqueKeysWithValues: zip(order, 0...))
        return kept.sorted { rank[$0, default: 0] < rank[$1, default: 0] }.prefix(limit).map { candidates[$0] }
    }

    private static func isSame(_ first: Candidate, _ second: Candidate, overlap: Double) -> Bool {
        guard first.label == second.label else { return false }
        if first.region.overlap(with: second.region) > overlap { return true }
        guard first.view != second.view else { return false }
        let smaller = min(first.region.area, second.region.area)
        return first.region.intersection(with: second.region) > containment * smaller
    }
}
