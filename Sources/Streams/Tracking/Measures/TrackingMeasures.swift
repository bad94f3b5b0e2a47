/// How well tracks agree with the truth over a sequence of frames.
///
/// CLEAR MOT (Bernardin and Stiefelhagen, "Evaluating Multiple Object Tracking Performance: The CLEAR MOT Metrics", 2008)
/// and identity measures (Ristani et al., "Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking",
/// ECCV 2016 workshops).
package struct TrackingMeasures: Sendable, Equatable {
    /// Boxes of the truth in all frames.
    package private(set) var truths = 0
    /// Boxes of tracks in all frames.
    package private(set) var answers = 0
    /// Boxes of the truth that no track had, and boxes of tracks that the truth has not.
    package private(set) var misses = 0
    package private(set) var falseAlarms = 0
    /// How often a true object went over to another track.
    package private(set) var identitySwitches = 0

    private let overlap: Double
    /// The track that each true object had last.
    private var partners: [Int: Int] = [:]
    /// Frames in which a true object and a track lay on each other.
    private var together: [Int: [Int: Int]] = [:]

    /// - Parameter overlap: least intersection over union of a box with its truth.
    package init(overlap: Double = 0.5) {
        self.overlap = overlap
    }

    /// Multiple-object tracking accuracy: 1 is perfect; below 0 there are more mistakes than objects.
    package var accuracy: Double {
        truths > 0 ? 1 - Double(misses + falseAlarms + identitySwitches) / Double(truths) : 0
    }

    /// IDF1: the share of boxes that have the right identity, when each true object is given the one track that suits it
    /// best.
    package var identityF1: Double {
        truths + answers > 0 ? 2 * Double(identified) / Double(truths + answers) : 0
    }

    /// Boxes with the right identity, at the best pairing of objects and tracks.
    private var identified: Int {
        let tracks = Set(together.values.flatMap(\.keys)).sorted()
        let objects = together.keys.sorted()
        let costs = objects.map { object in tracks.map { -Double(together[object]?[$0] ?? 0) } }
        return zip(objects, Assignment.solve(costs, below: 0)).reduce(0) { sum, pair in
            sum + (pair.1.map { together[pair.0]?[tracks[$0]] ?? 0 } ?? 0)
        }
    }

    /// Counts one frame.
    ///
    /// - Parameters:
    ///   - truth: boxes by the number of their object.
    ///   - answer: boxes by the number of their track.
    package mutating func add(truth: [Int: BoundingBox], answer: [Int: BoundingBox]) {
        truths += truth.count
        answers += answer.count
        for (object, box) in truth {
            for (track, other) in answer where box.overlap(with: other) >= overlap {
                together[object, default: [:]][track, default: 0] += 1
            }
        }
        let pairs = correspondences(truth, answer)
        misses += truth.count - pairs.count
        falseAlarms += answer.count - pairs.count
        for (object, track) in pairs {
            if let before = partners[object], before != track { identitySwitches += 1 }
            partners[object] = track
        }
    }

    /// Who was together stays so while the boxes still overlap; the rest is assigned anew.
    private func correspondences(_ truth: [Int: BoundingBox], _ answer: [Int: BoundingBox]) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        var taken: Set<Int> = []
        for (object, track) in partners.sorted(by: { $0.key < $1.key }) where !taken.contains(track) {
            guard let box = truth[object], let other = answer[track], box.overlap(with: other) >= overlap else {
                continue
            }
            pairs[object] = track
            taken.insert(track)
        }
        let objects = truth.keys.filter { pairs[$0] == nil }.sorted()
        let tracks = answer.keys.filter { !taken.contains($0) }.sorted()
        let costs = objects.map { object in
            tracks.map { track -> Double in
                guard let box = truth[object], let other = answer[track] else { return .infinity }
                let shared = box.overlap(with: other)
                // Any pair is better than none.
                return shared >= overlap ? 1 - shared - 1_000 : .infinity
            }
        }
        for (object, column) in zip(objects, Assignment.solve(costs, below: 0)) {
            if let column { pairs[object] = tracks[column] }
        }
        return pairs
    }
}
