/// What a stream shows, once enough frames agree.
package struct StableLabel: Sendable, Equatable {
    package let label: String
    /// The head that answers with it.
    package let head: String
    /// What the votes give it now, 0…1.
    package let confidence: Double
    /// When it became the answer, in milliseconds of the stream.
    package let sinceMilliseconds: Double
}

/// Decides when the answer to a stream changes: not by a frame, but by the votes, and not back and forth between two that
/// are about equal. A pure value.
package struct LabelStability: Sendable {
    /// What the votes say at one frame.
    package struct Verdict: Sendable, Equatable {
        package let label: String
        package let head: String
        /// 0…1.
        package let confidence: Double

        package init(label: String, head: String, confidence: Double) {
            self.label = label
            self.head = head
            self.confidence = confidence
        }
    }

    /// How much likelier than the answer another label has to be to take its place.
    private static let lead = 1.2

    package private(set) var current: StableLabel?
    /// The label that has been the likeliest of late, and for how many frames.
    private var leader: (label: String, head: String)?
    private var run = 0
    /// Frames in a row of which the votes say nothing.
    private var silence = 0

    package init() {}

    /// Takes what the votes say at the next frame in.
    ///
    /// - Parameters:
    ///   - verdict: nil where they abstain.
    ///   - currentConfidence: what the votes give the current answer; nil where they no longer tell.
    ///   - consensus: frames that vote. A label needs to lead for more than half of them.
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
            self.current = StableLabel(
                label: current.label, head: current.head, confidence: verdict.confidence,
                sinceMilliseconds: current.sinceMilliseconds)
            return
        }
        let rival = currentConfidence ?? 0
        let isAhead = verdict.confidence >= rival * Self.lead
        if run >= consensus / 2 + 1, current == nil || isAhead {
            current = StableLabel(
                label: verdict.label, head: verdict.head, confidence: verdict.confidence,
                sinceMilliseconds: milliseconds)
        } else if let current {
            self.current = StableLabel(
                label: current.label, head: current.head, confidence: rival,
                sinceMilliseconds: current.sinceMilliseconds)
        }
    }
}
