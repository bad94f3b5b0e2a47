/// The thresholds of a ``MultiObjectTracker``. The defaults come from the ByteTrack paper, with times instead of frame
/// counts.
package struct TrackingOptions: Sendable, Equatable {
    /// The least confidence for the first round.
    package var highConfidence: Double
    /// The least confidence for continuing a track.
    package var lowConfidence: Double
    /// The least confidence for starting a track.
    package var newTrackConfidence: Double
    /// The least product of overlap (intersection over union) and confidence in the first round.
    package var firstOverlap: Double
    /// The least overlap in the second round, for doubtful observations.
    package var secondOverlap: Double
    /// The least overlap of a track with an observation that has another label. Detectors often change the label, but
    /// seldom the place.
    package var otherLabelOverlap: Double
    /// The largest distance of a fast object from its predicted place, in its own lengths. The first value is for
    /// tracks with one sighting, whose motion is unknown.
    package var firstStep: Double
    package var laterStep: Double
    /// The number of observations that confirm a track. The first frame's objects are confirmed at once.
    package var confirmations: Int
    /// How long a track is kept after its last observation, in milliseconds.
    package var keptMilliseconds: Double
    /// The number of frames that a track without observations is kept at least, however far apart they are.
    package var keptFrames: Int
    /// The longest gap between frames, in milliseconds. After a longer one all tracks start anew.
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
