/// The thresholds of a ``MultiObjectTracker``. The defaults are those of the ByteTrack paper, with times in place of
/// frame counts.
package struct TrackingOptions: Sendable, Equatable {
    /// From this confidence on an observation counts in the first round.
    package var highConfidence: Double
    /// From this confidence on it may still keep a track alive.
    package var lowConfidence: Double
    /// From this confidence on it may begin a track.
    package var newTrackConfidence: Double
    /// Least overlap (intersection over union), times the confidence, of the first round.
    package var firstOverlap: Double
    /// Least overlap of the second round, among what the detector doubts.
    package var secondOverlap: Double
    /// Least overlap of a track with an observation that has another label: detectors change their mind about what
    /// something is, seldom about where it is.
    package var otherLabelOverlap: Double
    /// Furthest that a fast object may be, in its own extents, from where its motion says when nothing overlaps: for a
    /// track of one sighting, whose motion is not known yet, and for the others.
    package var firstStep: Double
    package var laterStep: Double
    /// Observations that a track needs before it is confirmed; those of the very first frame are at once.
    package var confirmations: Int
    /// How long a track outlives its last observation, in milliseconds.
    package var keptMilliseconds: Double
    /// Frames without an observation that a track survives in any case, however far apart they are.
    package var keptFrames: Int
    /// After a gap between frames longer than this everything begins anew, in milliseconds.
    package var longestGapMilliseconds: Double

    package init(
        highConfidence: Double = 0.5, lowConfidence: Double = 0.1, newTrackConfidence: Double = 0.5,
        firstOverlap: Double = 0.2, secondOverlap: Double = 0.5, otherLabelOverlap: Double = 0.7,
        firstStep: Double = 2.5, laterStep: Double = 1, confirmations: Int = 2, keptMilliseconds: Double = 1_000,
        keptFrames: Int = 2, longestGapMilliseconds: Double = 5_000
    ) {
        self.highConfidence = highConfidence
        self.lowConfidence = lowConfidence
        self.newTrackConfidence = newTrackConfidence
        self.firstOverlap = firstOverlap
        self.secondOverlap = secondOverlap
        self.otherLabelOverlap = otherLabelOverlap
        self.firstStep = firstStep
        self.laterStep = laterStep
        self.confirmations = confirmations
        self.keptMilliseconds = keptMilliseconds
        self.keptFrames = keptFrames
        self.longestGapMilliseconds = longestGapMilliseconds
    }
}
