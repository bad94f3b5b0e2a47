import Recognition
import Scans
import Tracking

/// What closer looks at a tracked animal or object have shown, and when another is due: not in every frame, but while the
/// track is new, when it has grown, and while its answer is unsure. A pure value.
struct CloserLooks: Sendable {
    /// From this confidence on an answer needs no second look.
    private static let sure: Float = 0.85
    /// How much larger than at the best look so far a track has to be for another.
    private static let growth = 1.5
    /// How long an unsure answer rests after the first looks, in milliseconds.
    private static let rest = 500.0

    var votes = OutputVotes()
    private(set) var classification: Classification?
    private var largest = 0.0
    private var lastMilliseconds = -Double.infinity
    private(set) var count = 0
    /// Confidence of the first label of the head that matters.
    private var confidence: Float = 0

    /// - Parameters:
    ///   - area: of the track now.
    ///   - consensus: looks that an unsure answer gets without rest.
    func isDue(area: Double, consensus: Int, atMilliseconds now: Double) -> Bool {
        if count == 0 || area > largest * Self.growth { return true }
        guard confidence < Self.sure else { return false }
        return count < consensus || now - lastMilliseconds >= Self.rest
    }

    /// - Parameter head: the one that matters; nil: that which answers.
    mutating func take(_ look: FramePartLook, head: String?, area: Double, atMilliseconds now: Double) {
        votes = look.votes
        classification = look.classification
        largest = max(largest, area)
        lastMilliseconds = now
        count += 1
        confidence = look.classification.answer(of: head ?? look.classification.head)?.first?.confidence ?? 0
    }
}
