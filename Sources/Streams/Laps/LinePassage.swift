import Imaging

/// Finds the moment when one object passes the line. It interpolates between frames, smooths noisy places, and counts
/// one passing for an object that stops on the line. A pure value, for one track.
struct LinePassage: Sendable {
    /// A place of the object.
    private struct Sample: Sendable {
        let milliseconds: Double
        /// The distance from the line, positive beyond it.
        let distance: Double
        /// Half of the object's size across the line.
        let reach: Double
        /// The position along the line, 0…1 between its ends.
        let along: Double
    }

    /// A passing: when, and whether from the left to the right side of the line (seen from its beginning) or back.
    struct Passing: Sendable, Equatable {
        let milliseconds: Double
        let isForward: Bool
        let confidence: Double
    }

    /// The distance beyond the line that counts as passed, as a share of the object's reach. Noise of an object that
    /// stands on the line then causes no passings.
    private static let hysteresis = 0.15
    /// The fewest frames on each side of the line for computing the moment. A slow object has as many as it needs to
    /// move by its reach.
    private static let window = 5
    /// The longest time of those frames on one side, in milliseconds.
    private static let span = 1_000.0
    /// The longest crossing of the hysteresis without a stop on the line, in milliseconds.
    private static let stop = 400.0
    /// The largest deviation from a straight line that counts as noise, as a share of the object's reach.
    private static let noise = 0.08
    /// The distance that an object must move before its direction is known, in its own longer sides.
    private static let decision = 0.5
    /// The distance beyond the ends of the line where a passing still counts, as a share of its length.
    private static let margin = 0.1

    private let line: LapConfiguration.Line?
    private var samples: [Sample] = []
    /// Without a line: whether the object moves across the picture rather than up or down. Nil until that is known; its
    /// places are kept until then.
    private var isAcross: Bool?
    private var undecided: [(sighting: LapSighting, milliseconds: Double)] = []
    /// The side on which the object clearly was last: −1, 1, or 0.
    private var side = 0.0
    /// A passing that waits for later frames, with the first sample beyond the line.
    private var pending: (before: Int, after: Int, confidence: Double)?

    init(line: LapConfiguration.Line?) { self.line = line }

    /// Takes the next place.
    ///
    /// - Returns: a passing, some frames after it happened.
    mutating func move(_ sighting: LapSighting, atMilliseconds milliseconds: Double) -> Passing? {
        guard line == nil, isAcross == nil else { return take(sighting, milliseconds) }
        undecided.append((sighting, milliseconds))
        let (place, first) = (sighting.region, undecided[0].sighting.region)
        // A flat object has a small height, but small movements tell no more about its direction.
        let extent = max(place.width, place.height, 1e-9)
        let (across, down) = (
            abs(place.centreX - first.centreX) / extent, abs(place.centreY - first.centreY) / extent
        )
        guard max(across, down) >= Self.decision else {
            // An object that stands still never shows a direction.
            if undecided.count > 512 { undecided.removeFirst(256) }
            return nil
        }
        isAcross = across >= down
        defer { undecided = [] }
        return undecided.reduce(nil) { passing, place in take(place.sighting, place.milliseconds) ?? passing }
    }

    private mutating func take(_ sighting: LapSighting, _ milliseconds: Double) -> Passing? {
        guard let sample = sample(sighting, milliseconds) else { return nil }
        if let last = samples.last, milliseconds <= last.milliseconds { return nil }
        samples.append(sample)
        let limit = Self.hysteresis * sample.reach
        let now = sample.distance > limit ? 1.0 : sample.distance < -limit ? -1 : 0
        if now != 0 {
            if side != 0, now != side, pending == nil {
                let before = samples.lastIndex { $0.distance * side > Self.hysteresis * $0.reach } ?? 0
                pending = (before, samples.count - 1, sighting.confidence)
            }
            side = now
        }
        let result = settled(isOver: false)
        trim()
        return result
    }

    /// Ends the passage when the object is out of sight for good. Further frames will not come.
    consuming func left() -> Passing? {
        var passage = self
        return passage.settled(isOver: true)
    }

    // MARK: Parts

    private func sample(_ sighting: LapSighting, _ milliseconds: Double) -> Sample? {
        let region = sighting.region
        let point = LapConfiguration.Point(x: region.centreX, y: region.centreY)
        guard let line else {
            // The line is the middle of the picture, at right angles to the object's path.
            let isAcross = isAcross ?? true
            return Sample(
                milliseconds: milliseconds, distance: isAcross ? point.x - 0.5 : point.y - 0.5,
                reach: (isAcross ? region.width : region.height) / 2, along: 0.5)
        }
        let (dx, dy) = (line.to.x - line.from.x, line.to.y - line.from.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0 else { return nil }
        let (px, py) = (point.x - line.from.x, point.y - line.from.y)
        return Sample(
            milliseconds: milliseconds, distance: (dx * py - dy * px) / length,
            reach: (abs(dy) * region.width + abs(dx) * region.height) / length / 2,
            along: (px * dx + py * dy) / (length * length))
    }

    /// The pending passing, when enough frames follow it.
    private mutating func settled(isOver: Bool) -> Passing? {
        guard let pending else { return nil }
        let (last, passed) = (samples[samples.count - 1], samples[pending.after])
        let isPast = samples.count - pending.after >= Self.window && abs(last.distance) >= last.reach
        guard isOver || isPast || last.milliseconds - passed.milliseconds > Self.span else { return nil }
        self.pending = nil
        let (before, after) = (samples[pending.before], samples[pending.after])
        let share = before.distance / (before.distance - after.distance)
        let along = before.along + share * (after.along - before.along)
        guard along >= -Self.margin, along <= 1 + Self.margin else { return nil }
        return Passing(
            milliseconds: moment(from: pending.before, to: pending.after), isForward: after.distance > 0,
            confidence: pending.confidence)
    }

    /// The moment of passing. A straight line is fitted through the noisy places around it. If the object brakes or
    /// speeds up, only the nearest places count.
    private func moment(from before: Int, to after: Int) -> Double {
        let interpolated = crossing(from: before, to: after)
        guard samples[after].milliseconds - samples[before].milliseconds <= Self.stop else { return interpolated }
        let closest = window(from: before, to: after, Self.window)
        let near = Self.fit(closest.map { samples[$0] })
        if let near, near.error > Self.noise * samples[after].reach {
            // An object that starts or stops next to the line moves straight for a few frames only.
            let narrower = (2..<Self.window).reversed().lazy.compactMap { frames in
                Self.fit(window(from: before, to: after, frames).map { samples[$0] })
            }
            if let fit = narrower.first(where: { $0.error < near.error / 2 }) { return fit.milliseconds }
        }
        let wide = samples.indices.filter { index in
            let sample = samples[index]
            return closest.contains(index)
                || abs(sample.distance) <= sample.reach && abs(sample.milliseconds - interpolated) <= Self.span
        }
        guard let near, let far = Self.fit(wide.map { samples[$0] }) else {
            return interpolated
        }
        let fitted = far.error <= 1.5 * near.error + 1e-9 ? far.milliseconds : near.milliseconds
        return abs(fitted - interpolated) <= Self.stop ? fitted : interpolated
    }

    private func window(from before: Int, to after: Int, _ frames: Int) -> ClosedRange<Int> {
        max(0, before - frames + 1)...min(samples.count - 1, after + frames - 1)
    }

    /// A straight line through some places: the moment of distance 0, and the deviation of the places (root mean
    /// square). Nil for too few places, or places that do not move.
    private static func fit(_ samples: [Sample]) -> (milliseconds: Double, error: Double)? {
        guard samples.count >= 4 else { return nil }
        let count = Double(samples.count)
        let time = samples.reduce(0) { $0 + $1.milliseconds } / count
        let place = samples.reduce(0) { $0 + $1.distance } / count
        let covariance = samples.reduce(0) { $0 + ($1.milliseconds - time) * ($1.distance - place) }
        let variance = samples.reduce(0) { $0 + ($1.milliseconds - time) * ($1.milliseconds - time) }
        guard variance > 0, covariance != 0 else { return nil }
        let slope = covariance / variance
        let squares = samples.reduce(0) { sum, sample in
            let rest = sample.distance - place - slope * (sample.milliseconds - time)
            return sum + rest * rest
        }
        return (time - place / slope, (squares / count).squareRoot())
    }

    /// The moment between the two frames at which the object crosses the line.
    private func crossing(from before: Int, to after: Int) -> Double {
        let sign = samples[after].distance > 0 ? 1.0 : -1
        let index = (before + 1...after).first { samples[$0].distance * sign >= 0 } ?? after
        let (left, right) = (samples[index - 1], samples[index])
        let way = right.distance - left.distance
        guard way != 0 else { return right.milliseconds }
        let share = min(max(-left.distance / way, 0), 1)
        return left.milliseconds + share * (right.milliseconds - left.milliseconds)
    }

    /// Drops samples that no passing can need any more.
    private mutating func trim() {
        guard pending == nil, samples.count > 1_024 else { return }
        // An object that stands on the line needs the last place before it, which is at most this far back.
        samples.removeFirst(samples.count - 512)
    }
}
