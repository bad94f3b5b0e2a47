import Imaging

/// Leaves one box of the several that a detector gives for one thing.
enum NonMaximumSuppression {
    /// Boxes that are looked at, the surest: the work grows with the square.
    static let maximumCandidates = 1000

    struct Candidate: Sendable, Equatable {
        let region: PictureRegion
        /// Index of the class.
        let label: Int
        let confidence: Float
    }

    /// Goes from the surest box to the least sure and drops those that overlap a kept one of their class.
    ///
    /// - Parameters:
    ///   - overlap: intersection over union, 0…1, above which two boxes are one.
    ///   - limit: boxes that are kept at most.
    /// - Returns: the surest first; equally sure ones in the order in which they came.
    static func keep(_ candidates: [Candidate], overlap: Double, limit: Int) -> [Candidate] {
        let order = candidates.indices.sorted { left, right in
            (candidates[right].confidence, left) < (candidates[left].confidence, right)
        }
        var kept: [Candidate] = []
        for index in order.prefix(maximumCandidates) where kept.count < limit {
            let candidate = candidates[index]
            let isNew = kept.allSatisfy {
                $0.label != candidate.label || $0.region.overlap(with: candidate.region) <= overlap
            }
            if isNew { kept.append(candidate) }
        }
        return kept
    }
}
