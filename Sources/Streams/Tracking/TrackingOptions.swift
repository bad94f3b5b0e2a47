/// The thresholds of a ``MultiObjectTracker``. The defaults come from the ByteTrack paper, with times instead of frame
/// counts.
package struct TrackingOptions: Sendable, Equatable {
    /// The least confidence for the first round.
    package var highConfidence = 0.5
    /// The least confidence for continuing a track.
    package var lowConfidence = 0.1
    /// The least confidence for starting a track.
    package var newTrackConfidence = 0.5
    /// The least product of overlap (intersection over union) and confidence in the first round.
    package var firstOverlap = 0.2
    /// The least overlap in the second round, for doubtful observations.
    package var secondOverlap = 0.5
    /// The least overlap of a track with an observation that has another label. Detectors often change the label, but
    /// seldom the place.
    package var otherLabelOverlap = 0.7
    /// The largest distance of a fast object from its predicted place, in its own lengths. The first value is for
    /// tracks with one sighting, whose motion is unknown.
    package var firstStep = 2.5
    package var laterStep = 1.0
    /// The number of observations that confirm a track. The first frame's objects are confirmed at once.
    package var confirmations = 2
    /// How long a track is kept after its last observation, in milliseconds.
    package var keptMilliseconds = 1_000.0
    /// The number of frames that a track without observations is kept at least, however far apart they are.
    package var keptFrames = 2
    /// The longest gap between frames, in milliseconds. After a longer one all tracks start anew.
    package var longestGapMilliseconds = 5_000.0
}
