/// The label that enough frames of a stream agree on.
package struct StableLabel: Sendable, Equatable {
    package let label: String
    /// The head that the label belongs to.
    package let head: String
    /// Its current share of the votes, 0…1.
    package fileprivate(set) var confidence: Double
    /// The time at which it became the answer, in milliseconds of the stream.
    package let sinceMilliseconds: Double
}

/// Decides when a stream's answer changes. A single frame cannot change it, and two labels with similar votes do not
/// alternate. A pure value.
package struct LabelStability: Sendable {
    /// The likeliest label by the votes at one frame.
    package struct Verdict: Sendable, Equatable {
        package let label: String
        package let head: String
        package let confidence: Double
    }

    /// A rival label must be this many times likelier than the current answer.
    private static let lead = 1.2

    package private(set) var current: StableLabel?
    /// The label that leads, and the number of frames in a row that it has led.
    private var leader: (label: String, head: String)?
    private var run = 0
    /// The number of frames in a row without a verdict.
    private var silence = 0

    package init() {}

    /// Adds the votes at the next frame.
    ///
    /// - Parameters:
    ///   - verdict: nil if the votes abstain.
    ///   - currentConfidence: the votes' share for the current answer. Nil if unknown.
    ///   - consensus: the number of voting frames. A label must lead for more than half of them.
    package mutating func update(
        _ verdict: Verdict?, currentConfidence: Double?, consensus: Int, atMilliseconds milliseconds: Double
    ) {
        guard let verdict else {
            silence += 1
            (leader, run) = (nil, 0)
            if silence >= consensus { current = nil }
            return
        }
        silence = 0
        run = leader.map { $0 == (verdict.label, verdict.head) } == true ? run + 1 : 1
        leader = (verdict.label, verdict.head)
        if let current, current.label == verdict.label, current.head == verdict.head {
            self.current?.confidence = verdict.confidence
            return
        }
        let rival = currentConfidence ?? 0
        let isAhead = verdict.confidence >= rival * Self.lead
        if run >= consensus / 2 + 1, current == nil || isAhead {
            current = StableLabel(
                label: verdict.label, head: verdict.head, confidence: verdict.confidence,
                sinceMilliseconds: milliseconds)
        } else {
            current?.confidence = rival
        }
    }
}
