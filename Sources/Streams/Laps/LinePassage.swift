/// Finds when one object passes the line: where it is on its way between two frames is interpolated, a place that is
/// measured with noise is smoothed, and who stops on the line passes it once. A pure value, for one track.
struct LinePassage: Sendable {
    /// A place of the object.
    private struct Sample: Sendable {
        let milliseconds: Double
        /// Distance from the line, positive beyond it.
        let distance: Double
        /// Half of the extent across the line.
        let reach: Double
        /// Where along the line, 0…1 between its ends.
        let along: Double
    }

    /// When the line was passed, and whether from its left to its right side (seen from its beginning) or back.
    struct Passing: Sendable, Equatable {
        let milliseconds: Double
        let isForward: Bool
        let confidence: Double
    }

    /// How far beyond the line an object has to be to have passed it, as a share of its reach: who stands on the line and
    /// trembles does not pass it again and again.
    private static let hysteresis = 0.15
    /// Frames on either side of the line that the moment of passing is worked out from at least; who is slow has as many
    /// as it takes to move by its reach.
    private static let window = 5
    /// The longest time that those frames may span on one side, in milliseconds.
    private static let span = 1_000.0
    /// Who takes longer than this across the hysteresis has stopped on the line, in milliseconds.
    private static let stop = 400.0
    /// How far places may be from a straight line for noise alone, as a share of the object's reach.
    private static let noise = 0.08
    /// How far an object has to move, in its own longer extents, before its direction can be told from noise.
    private static let decision = 0.5
    /// How far beyond the ends of the line its passing still counts, as a share of its length.
    private static let margin = 0.1

    private let line: LapConfiguration.Line?
    private var samples: [Sample] = []
    /// Without a line: whether it goes across the picture rather than up or down, once that can be told, and its places
    /// until then.
    private var isAcross: Bool?
    private var undecided: [(sighting: LapSighting, milliseconds: Double)] = []
    /// The side that the object was clearly on last: −1, 1, or 0.
    private var side = 0.0
    /// A passing of which the frames after it are still awaited: index of the first sample beyond the line.
    private var pending: (before: Int, after: Int, confidence: Double)?

    init(line: LapConfiguration.Line?) {
        self.line = line
    }

    /// Takes the next place in.
    ///
    /// - Returns: a passing, some frames after it happened.
    mutating func move(_ sighting: LapSighting, atMilliseconds milliseconds: Double) -> Passing? {
        guard line == nil, isAcross == nil else { return take(sighting, milliseconds) }
        undecided.append((sighting, milliseconds))
        let first = undecided[0].sighting
        // What is flat has a small height, and is no surer to have moved by that much.
        let extent = max(sighting.width, sighting.height, 1e-9)
        let (across, down) = (abs(sighting.x - first.x) / extent, abs(sighting.y - first.y) / extent)
        guard max(across, down) >= Self.decision else {
            // Who stands still has no direction, however long.
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

    /// The object is out of sight for good: the frames that are awaited will not come.
    consuming func left() -> Passing? {
        var passage = self
        return passage.settled(isOver: true)
    }

    // MARK: Parts

    private func sample(_ sighting: LapSighting, _ milliseconds: Double) -> Sample? {
        let point = LapConfiguration.Point(x: sighting.x, y: sighting.y)
        guard let line else {
            // The middle of the picture, across the way that it goes.
            let isAcross = isAcross ?? true
            return Sample(
                milliseconds: milliseconds, distance: isAcross ? point.x - 0.5 : point.y - 0.5,
                reach: (isAcross ? sighting.width : sighting.height) / 2, along: 0.5)
        }
        let (dx, dy) = (line.to.x - line.from.x, line.to.y - line.from.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0 else { return nil }
        let (px, py) = (point.x - line.from.x, point.y - line.from.y)
        return Sample(
            milliseconds: milliseconds, distance: (dx * py - dy * px) / length,
            reach: (abs(dy) * sighting.width + abs(dx) * sighting.height) / length / 2,
            along: (px * dx + py * dy) / (length * length))
    }

    /// The passing, once enough frames have come after it.
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

    /// When the line was passed: by a straight line through the places around it, since each alone is measured with noise.
    /// Who brakes or speeds up there does not go by a straight line for long: then the nearest places alone count.
    private func moment(from before: Int, to after: Int) -> Double {
        let interpolated = crossing(from: before, to: after)
        guard samples[after].milliseconds - samples[before].milliseconds <= Self.stop else { return interpolated }
        let closest = window(from: before, to: after, Self.window)
        let near = Self.fit(closest.map { samples[$0] })
        if let near, near.error > Self.noise * samples[after].reach {
            // Who starts or stops next to the line goes by a straight line for a few frames only.
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

    /// Some frames on either side of the line.
    private func window(from before: Int, to after: Int, _ frames: Int) -> ClosedRange<Int> {
        max(0, before - frames + 1)...min(samples.count - 1, after + frames - 1)
    }

    /// The straight line through some places: when it is at distance 0, and how far the places are from it (root of the
    /// mean square). Nil for too few places, or for some that do not move.
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

    /// Between the first two frames on the way across of which the second is beyond the line.
    private func crossing(from before: Int, to after: Int) -> Double {
        let sign = samples[after].distance > 0 ? 1.0 : -1
        let index = (before + 1...after).first { samples[$0].distance * sign >= 0 } ?? after
        let (left, right) = (samples[index - 1], samples[index])
        let way = right.distance - left.distance
        guard way != 0 else { return right.milliseconds }
        let share = min(max(-left.distance / way, 0), 1)
        return left.milliseconds + share * (right.milliseconds - left.milliseconds)
    }

    /// Keeps what a passing may still need.
    private mutating func trim() {
        guard pending == nil, samples.count > 1_024 else { return }
        // Who stands on the line for long needs the last place before it, and that is no longer than this ago.
        samples.removeFirst(samples.count - 512)
    }
}
