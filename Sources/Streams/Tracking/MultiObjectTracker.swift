import Imaging

/// Finds the boxes of successive frames that show the same animal or object. A pure value.
///
/// ByteTrack (Zhang et al., "ByteTrack: Multi-Object Tracking by Associating Every Detection Box", ECCV 2022): a Kalman
/// filter predicts each track's box. Sure boxes are assigned to tracks by overlap first. Doubtful boxes then continue
/// the remaining tracks. A track without a box is kept for a while. Beyond the paper, time is in milliseconds, so the
/// frame rate may vary. Labels count as well. An object that moves more than its own length between two frames is
/// matched by its distance from the prediction.
package struct MultiObjectTracker: Sendable {
    private let options: TrackingOptions
    private var tracks: [TrackedObject] = []
    private var lastNumber = 0
    private var lastMilliseconds: Double?

    package init(options: TrackingOptions = TrackingOptions()) { self.options = options }

    /// All known objects in the order of their numbers, both in sight and remembered.
    package var objects: [TrackedObject] { tracks }

    /// Adds the boxes of the next frame.
    ///
    /// - Parameters:
    ///   - observations: the detector's boxes, including doubtful ones from ``TrackingOptions/lowConfidence`` on.
    ///   - milliseconds: the frame's time. An earlier time than the last frame's counts as the same time.
    /// - Returns: the objects seen in this frame, in the order of their numbers.
    package mutating func update(_ observations: [Observation], atMilliseconds milliseconds: Double) -> [TrackedObject]
    {
        let now = max(milliseconds.isFinite ? milliseconds : 0, lastMilliseconds ?? -.infinity)
        let isFirst = lastMilliseconds.map { now - $0 > options.longestGapMilliseconds } ?? true
        if isFirst { tracks = [] }
        lastMilliseconds = now
        for index in tracks.indices { tracks[index].predict(atMilliseconds: now) }

        var round = AssociationRound(observations: observations, tracks: tracks)
        associate(&round, observations, now)
        for index in round.tracks { tracks[index].miss() }
        let unconfirmed = Set(round.tracks.filter { !tracks[$0].isConfirmed })
        begin(round.observations, observations, now, isFirst: isFirst)
        tracks = tracks.enumerated().filter { !unconfirmed.contains($0.offset) && !isOver($0.element, now) }
            .map(\.element)
        dropDoubles()
        return tracks.filter(\.isInSight)
    }

    /// Replaces an object with a new one in the same place, as after a cut in a film.
    ///
    /// - Returns: the new object's number. Nil if the old object is unknown.
    package mutating func renew(_ number: Int) -> Int? {
        guard let index = tracks.firstIndex(where: { $0.track == number }) else { return nil }
        lastNumber += 1
        tracks[index].renew(as: lastNumber)
        tracks.append(tracks.remove(at: index))
        return lastNumber
    }

    /// The paper's rounds, and one for objects that are too fast for overlap.
    private mutating func associate(_ round: inout AssociationRound, _ observations: [Observation], _ now: Double) {
        let sure = round.observations.filter { observations[$0].confidence >= options.highConfidence }
        let doubtful = round.observations.filter {
            observations[$0].confidence < options.highConfidence && observations[$0].confidence >= options.lowConfidence
        }
        round.observations = sure
        let confirmed = round.tracks.filter { tracks[$0].isConfirmed }
        take(
            round.match(confirmed, sure, below: 1 - options.firstOverlap) { [options] track, sight in
                let overlap = track.box.overlap(with: sight.box)
                guard track.label == sight.label || overlap >= options.otherLabelOverlap else { return .infinity }
                return 1 - overlap * sight.confidence
            }, observations, now)
        let inSight = round.tracks.filter { tracks[$0].isConfirmed && tracks[$0].missed == 0 }
        take(
            round.match(inSight, doubtful, below: 1 - options.secondOverlap) { track, sight in
                track.label == sight.label ? 1 - track.box.overlap(with: sight.box) : .infinity
            }, observations, now)
        take(
            round.match(round.tracks.filter { !tracks[$0].isConfirmed }, round.observations, below: 0.7) {
                track, sight in
                track.label == sight.label ? 1 - track.box.overlap(with: sight.box) * sight.confidence : .infinity
            }, observations, now)
        take(
            round.match(round.tracks.filter { tracks[$0].missed == 0 }, round.observations, below: 1) {
                [options] track, sight in
                guard track.label == sight.label, track.box.isOfSize(of: sight.box) else { return .infinity }
                let step = track.sightings == 1 ? options.firstStep : options.laterStep
                return track.box.distance(to: sight.box) / step
            }, observations, now)
    }

    private mutating func take(_ pairs: [(track: Int, observation: Int)], _ observations: [Observation], _ now: Double)
    {
        for pair in pairs {
            tracks[pair.track].observe(
                observations[pair.observation], index: pair.observation, milliseconds: now,
                confirmations: options.confirmations)
        }
    }

    /// Starts tracks for sure observations without a partner.
    private mutating func begin(_ new: [Int], _ observations: [Observation], _ now: Double, isFirst: Bool) {
        for index in new where observations[index].confidence >= options.newTrackConfidence {
            lastNumber += 1
            tracks.append(
                TrackedObject(
                    observations[index], index: index, track: lastNumber, milliseconds: now,
                    isConfirmed: isFirst || options.confirmations <= 1))
        }
    }

    private func isOver(_ track: TrackedObject, _ now: Double) -> Bool {
        track.missed > options.keptFrames && now - track.lastMilliseconds > options.keptMilliseconds
    }

    /// Joins a remembered track with an overlapping one in sight. The older one stays.
    private mutating func dropDoubles() {
        var dropped: Set<Int> = []
        for (index, track) in tracks.enumerated() where track.missed > 0 {
            for (other, rival) in tracks.enumerated() where rival.missed == 0 && rival.label == track.label {
                guard track.box.overlap(with: rival.box) > 0.85 else { continue }
                dropped.insert(track.sightings > rival.sightings ? other : index)
            }
        }
        guard !dropped.isEmpty else { return }
        tracks = tracks.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    }
}
