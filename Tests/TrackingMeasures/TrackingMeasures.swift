package import Imaging
import Streams

/// The agreement of tracks with the truth over a sequence of frames.
///
/// CLEAR MOT (Bernardin and Stiefelhagen, "Evaluating Multiple Object Tracking Performance: The CLEAR MOT Metrics", 2008)
/// and identity measures (Ristani et al., "Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking",
/// ECCV 2016 workshops).
package struct TrackingMeasures: Sendable, Equatable {
    /// The true boxes in all frames.
    package private(set) var truths = 0
    /// The tracks' boxes in all frames.
    package private(set) var answers = 0
    /// The true boxes without a track, and the tracks' boxes without a true one.
    package private(set) var misses = 0
    package private(set) var falseAlarms = 0
    /// The number of times that a true object changed its track.
    package private(set) var identitySwitches = 0

    private let overlap: Double
    /// The last track of each true object.
    private var partners: [Int: Int] = [:]
    /// The number of frames in which a true object and a track overlapped.
    private var together: [Int: [Int: Int]] = [:]

    /// - Parameter overlap: the least intersection over union of a box with the true one.
    package init(overlap: Double = 0.5) {
        self.overlap = overlap
    }

    /// Multiple-object tracking accuracy. 1 is perfect. Below 0 there are more errors than objects.
    package var accuracy: Double {
        truths > 0 ? 1 - Double(misses + falseAlarms + identitySwitches) / Double(truths) : 0
    }

    /// IDF1: the share of boxes with the right identity, if each true object is paired with its best track.
    package var identityF1: Double {
        truths + answers > 0 ? 2 * Double(identified) / Double(truths + answers) : 0
    }

    /// The number of boxes with the right identity, for the best pairing of objects and tracks.
    private var identified: Int {
        let tracks = Set(together.values.flatMap(\.keys)).sorted()
        let objects = together.keys.sorted()
        let costs = objects.map { object in tracks.map { -Double(together[object]?[$0] ?? 0) } }
        return zip(objects, Assignment.solve(costs, below: 0)).reduce(0) { sum, pair in
            sum + (pair.1.map { together[pair.0]?[tracks[$0]] ?? 0 } ?? 0)
        }
    }

    /// Adds one frame.
    ///
    /// - Parameters:
    ///   - truth: the true boxes, by the number of the object.
    ///   - answer: the tracks' boxes, by the number of the track.
    package mutating func add(truth: [Int: PictureRegion], answer: [Int: PictureRegion]) {
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

    /// Pairs from the last frame stay together while their boxes overlap. The rest is assigned anew.
    private func correspondences(_ truth: [Int: PictureRegion], _ answer: [Int: PictureRegion]) -> [Int: Int] {
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
                // The large constant makes the number of pairs matter most.
                return shared >= overlap ? 1 - shared - 1_000 : .infinity
            }
        }
        for (object, column) in zip(objects, Assignment.solve(costs, below: 0)) {
            if let column { pairs[object] = tracks[column] }
        }
        return pairs
    }
}
