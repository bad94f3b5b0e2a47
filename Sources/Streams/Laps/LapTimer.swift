/// Times laps by what is seen. A pure value: it is told what each frame shows and says what has changed.
///
/// `warm_up` → `start` by hand → `lapping` at the first passing → `end` when the object passes again → `lapping` by itself;
/// from everywhere back to `warm_up` by hand. A lap closes only when the object has left and returns: it was out of
/// sight, or went round and passes the line in the same direction once more. Never from `warm_up` to `lapping`: what passes
/// before the start is not timed.
package struct LapTimer: Sendable {
    /// How long a candidate is remembered that is out of sight, in milliseconds.
    private static let candidateMemory = 2_000.0
    /// How long an object may be hidden on its way over the line, in milliseconds.
    private static let gap = 600.0
    /// Objects that are timed at a time.
    private static let maximumRunners = 64

    /// An object on the track, whatever its track in the picture.
    struct Runner: Sendable {
        let number: Int
        let label: String
        /// When its current lap began.
        var startedMilliseconds: Double
        /// The direction in which it passed the line first; nil by classification alone.
        let isForward: Bool?
    }

    package private(set) var configuration: LapConfiguration
    package private(set) var state = LapState.warmUp
    /// What is timed since the start.
    package private(set) var label: String?
    package private(set) var laps: [Lap] = []
    /// What closes a lap; nil while the timer has not chosen.
    package internal(set) var counting: LapCounting?
    private var visits = LapVisits()
    /// What was chosen by pointing.
    private var chosen: String?
    private var lastNumber = 0
    private var lastRunner = 0
    var runners: [Runner] = []
    /// Which runner a track in sight is.
    private var runnerOfTrack: [Int: Int] = [:]
    private var passages: [Int: LinePassage] = [:]
    /// When each track that has a passage was seen last.
    private var lastSeen: [Int: Double] = [:]
    private var inSight: Set<Int> = []
    private var seen: [String: (confidence: Double, milliseconds: Double)] = [:]
    /// Confidence that the threshold is relative to.
    var reference: Double?
    private var lastMilliseconds = -Double.infinity
    // What timing by classification alone keeps:
    var lastConfidence: (value: Double, milliseconds: Double)?
    var isInSight = false

    package init(configuration: LapConfiguration) {
        self.configuration = configuration
    }

    /// A timer that had timed laps before: they stay, and their numbers are not given again.
    package init(configuration: LapConfiguration, laps: [Lap], lastNumber: Int) {
        self.init(configuration: configuration)
        self.laps = laps
        self.lastNumber = max(lastNumber, laps.map(\.number).max() ?? 0)
        lastRunner = laps.map(\.runner).max() ?? 0
    }

    /// The frames that follow are of another stream, whose tracks have numbers of their own; clocks that run go on.
    package mutating func beginStream() {
        runnerOfTrack = [:]
        passages = [:]
        lastSeen = [:]
        inSight = []
        lastConfidence = nil
        visits.leave()
    }

    /// What could be timed, the surest first.
    package var candidates: [LapCandidate] {
        seen.filter { lastMilliseconds - $0.value.milliseconds <= Self.candidateMemory }
            .map { LapCandidate(label: $0.key, confidence: $0.value.confidence) }
            .sorted { ($1.confidence, $0.label) < ($0.confidence, $1.label) }
    }

    // MARK: By hand

    /// - Parameter wanted: which of the labels seen since the warm-up began is to be timed, where the configuration names
    ///   none; nil: the surest candidate.
    /// - Throws: ``LapError/noCandidate`` where there is nothing to time, ``LapError/alreadyStarted``.
    package mutating func start(_ wanted: String? = nil) throws(LapError) -> [LapEvent] {
        guard state == .warmUp else { throw .alreadyStarted }
        let candidate = wanted.map { seen[$0] == nil ? nil : $0 } ?? candidates.first?.label
        guard let label = configuration.label ?? chosen ?? candidate else { throw .noCandidate }
        self.label = label
        reference = seen[label]?.confidence
        counting = configuration.line == nil ? nil : .line
        visits = LapVisits()
        return enter(.start)
    }

    /// Stops every clock; the laps stay.
    package mutating func warmUp() -> [LapEvent] {
        guard state != .warmUp else { return [] }
        label = nil
        counting = nil
        visits = LapVisits()
        runners = []
        runnerOfTrack = [:]
        passages = [:]
        lastSeen = [:]
        inSight = []
        seen = [:]
        lastConfidence = nil
        return enter(.warmUp)
    }

    /// Forgets what was in sight, since other things are looked for from now on.
    ///
    /// - Parameter label: what is timed of them, in sight or not; nil: what is in sight at the start.
    package mutating func choose(_ label: String?) {
        chosen = label
        seen = [:]
        reference = nil
    }

    /// Moves the finishing line; nil: the middle of the picture. Laps that were made stay.
    ///
    /// - Throws: ``LapError/alreadyStarted``: a line that moved under a running clock would make a lap of no known length.
    package mutating func move(line: LapConfiguration.Line?) throws(LapError) {
        guard state == .warmUp else { throw .alreadyStarted }
        configuration.line = line
        passages = [:]
    }

    /// Takes a lap back, as if the object had not been seen when it closed: what came after it becomes part of one longer
    /// lap.
    ///
    /// - Throws: ``LapError/unknownLap(_:)``.
    package mutating func undo(lap number: Int) throws(LapError) {
        guard let index = laps.firstIndex(where: { $0.number == number }) else { throw .unknownLap(number) }
        let undone = laps.remove(at: index)
        if let next = laps[index...].firstIndex(where: { $0.runner == undone.runner }),
            abs(laps[next].startedMilliseconds - undone.endedMilliseconds) < 0.01
        {
            laps[next].startedMilliseconds = undone.startedMilliseconds
            laps[next].lapMilliseconds += undone.lapMilliseconds
        } else if let runner = runners.firstIndex(where: {
            $0.number == undone.runner && abs($0.startedMilliseconds - undone.endedMilliseconds) < 0.01
        }) {
            runners[runner].startedMilliseconds = undone.startedMilliseconds
        }
    }

    // MARK: By frames

    /// A frame in which boxes were looked for.
    ///
    /// - Parameter sightings: every object in sight, of whatever kind.
    package mutating func observe(_ sightings: [LapSighting], atMilliseconds now: Double) -> [LapEvent] {
        guard advance(to: now) else { return [] }
        for sighting in sightings {
            note(sighting.label, sighting.confidence, now)
            // What was chosen sets the measure also where it is not the first guess.
            if let label, label != sighting.label, let confidence = sighting.confidence(of: label) {
                reference = max(reference ?? 0, confidence)
            }
        }
        guard state != .warmUp else { return [] }
        var events = rest()
        let limit = configuration.threshold * (reference ?? 0)
        let timed = sightings.filter { sighting in
            label.flatMap { sighting.confidence(of: $0) }.map { $0 >= limit && $0 > 0 } ?? false
        }
        inSight = Set(timed.map(\.track))
        var passings: [(track: Int, passing: LinePassage.Passing)] = []
        for track in passages.keys.sorted() where now - (lastSeen[track] ?? now) > Self.gap {
            if let passing = passages.removeValue(forKey: track)?.left() { passings.append((track, passing)) }
            lastSeen[track] = nil
        }
        for sighting in timed {
            var passage = passages[sighting.track] ?? LinePassage(line: configuration.line)
            if let passing = passage.move(sighting, atMilliseconds: now) { passings.append((sighting.track, passing)) }
            passages[sighting.track] = passage
            lastSeen[sighting.track] = now
        }
        if counting == nil, !passings.isEmpty { counting = .line }
        if counting == .line {
            for (track, passing) in passings.sorted(by: { $0.passing.milliseconds < $1.passing.milliseconds }) {
                events += pass(passing, track: track)
            }
        } else {
            events += count(visits.take(timed, atMilliseconds: now))
        }
        if runnerOfTrack.count > 4 * Self.maximumRunners {
            runnerOfTrack = runnerOfTrack.filter { inSight.contains($0.key) }
        }
        return events
    }

    // MARK: Parts

    /// Time does not run backwards: a frame that is older than the last one is none.
    mutating func advance(to now: Double) -> Bool {
        guard now.isFinite, now > lastMilliseconds else { return false }
        lastMilliseconds = now
        return true
    }

    mutating func note(_ label: String, _ confidence: Double, _ now: Double) {
        seen[label] = (confidence, now)
        if seen.count > 256 { seen = seen.filter { now - $0.value.milliseconds <= Self.candidateMemory } }
        // One that was named and had not been seen yet sets the measure when it is.
        if label == self.label { reference = max(reference ?? 0, confidence) }
    }

    private mutating func enter(_ state: LapState) -> [LapEvent] {
        self.state = state
        return [.state(state)]
    }

    /// `end` lasts for the frame in which a lap closes.
    mutating func rest() -> [LapEvent] { state == .end ? enter(.lapping) : [] }

    private mutating func pass(_ passing: LinePassage.Passing, track: Int) -> [LapEvent] {
        if let number = runnerOfTrack[track], let runner = runners.first(where: { $0.number == number }) {
            // The other way round is the far side of the track, or a step back over the line.
            guard runner.isForward == passing.isForward, isLap(passing, of: runner) else { return [] }
            return close(
                number, track: track, confidence: passing.confidence, atMilliseconds: passing.milliseconds)
        }
        let present = Set(inSight.compactMap { runnerOfTrack[$0] })
        // Who has been away longest comes back first.
        let returning = runners.filter {
            !present.contains($0.number) && $0.isForward == passing.isForward && isLap(passing, of: $0)
        }.min { $0.startedMilliseconds < $1.startedMilliseconds }
        if let returning {
            runnerOfTrack[track] = returning.number
            return close(
                returning.number, track: track, confidence: passing.confidence, atMilliseconds: passing.milliseconds)
        }
        guard let label, runners.count < Self.maximumRunners else { return [] }
        let events = begin(label, atMilliseconds: passing.milliseconds, isForward: passing.isForward)
        runnerOfTrack[track] = lastRunner
        return events
    }

    /// Takes the times that the object came into sight, or, while it is not chosen what counts, waits for one that was whole.
    private mutating func count(_ sight: (new: LapVisits.Visit?, whole: Bool)) -> [LapEvent] {
        guard let label else { return [] }
        var new = [sight.new].compactMap(\.self)
        if counting == nil {
            guard sight.whole else { return [] }
            // It came and went, and passed no middle: from the first time on, each counts.
            counting = .sight
            new = visits.all
        }
        return new.reduce(into: []) { events, visit in
            guard let runner = runners.first else {
                events += begin(label, atMilliseconds: visit.milliseconds, isForward: nil)
                return
            }
            guard visit.milliseconds - runner.startedMilliseconds >= configuration.minimumMilliseconds else { return }
            events += close(
                runner.number, track: visit.track, confidence: visit.confidence, atMilliseconds: visit.milliseconds)
        }
    }

    private func isLap(_ passing: LinePassage.Passing, of runner: Runner) -> Bool {
        passing.milliseconds - runner.startedMilliseconds >= configuration.minimumMilliseconds
    }

    mutating func begin(_ label: String, atMilliseconds now: Double, isForward: Bool?) -> [LapEvent] {
        lastRunner += 1
        runners.append(Runner(number: lastRunner, label: label, startedMilliseconds: now, isForward: isForward))
        let events = [LapEvent.started(runner: lastRunner, label: label, atMilliseconds: now)]
        return state == .start ? events + enter(.lapping) : events
    }

    mutating func close(
        _ number: Int, track: Int?, confidence: Double, atMilliseconds now: Double
    ) -> [LapEvent] {
        guard let index = runners.firstIndex(where: { $0.number == number }) else { return [] }
        lastNumber += 1
        let runner = runners[index]
        let lap = Lap(
            number: lastNumber, label: runner.label, runner: number, track: track,
            startedMilliseconds: runner.startedMilliseconds, lapMilliseconds: now - runner.startedMilliseconds,
            confidence: confidence)
        laps.append(lap)
        runners[index].startedMilliseconds = now
        return [.lap(lap)] + enter(.end)
    }
}
