/// Times laps by what is seen. A pure value: each frame goes in, and changes come out.
///
/// `warm_up` → `start` by hand → `lapping` at the first passing → `end` when the object passes again → `lapping` by
/// itself. A command leads from every state back to `warm_up`. A lap closes only if the object was out of sight, or
/// went round and passes the line again in the same direction. `warm_up` never leads to `lapping`: a passing before the
/// start is not timed.
package struct LapTimer: Sendable {
    /// The time that a candidate is remembered after it was last seen, in milliseconds.
    private static let candidateMemory = 2_000.0
    /// The longest time that an object may be hidden while it crosses the line, in milliseconds.
    private static let gap = 600.0
    /// The most objects that are timed at once.
    private static let maximumRunners = 64

    /// An object being timed. It keeps its number when its track in the picture changes.
    struct Runner: Sendable {
        let number: Int
        let label: String
        /// The start of the current lap.
        var startedMilliseconds: Double
        /// The direction of its first passing. Nil if only the classifier saw it.
        let isForward: Bool?
    }

    package private(set) var configuration: LapConfiguration
    package private(set) var state = LapState.warmUp
    /// The label being timed since the start.
    package private(set) var label: String?
    package private(set) var laps: [Lap] = []
    /// The event that closes a lap. Nil until the timer has chosen.
    package internal(set) var counting: LapCounting?
    private var visits = LapVisits()
    /// The label that the user chose by pointing.
    private var chosen: String?
    private var lastNumber = 0
    private var lastRunner = 0
    var runners: [Runner] = []
    /// The runner of each track in sight.
    private var runnerOfTrack: [Int: Int] = [:]
    private var passages: [Int: LinePassage] = [:]
    /// The last time that each track with a passage was seen.
    private var lastSeen: [Int: Double] = [:]
    private var inSight: Set<Int> = []
    private var seen: [String: (confidence: Double, milliseconds: Double)] = [:]
    /// The confidence that the threshold is relative to.
    var reference: Double?
    private var lastMilliseconds = -Double.infinity
    // State of timing by classification alone:
    var lastConfidence: (value: Double, milliseconds: Double)?
    var isInSight = false

    /// - Parameter laps: those of a session that is resumed. Their numbers are not used again.
    package init(configuration: LapConfiguration, laps: [Lap] = [], lastNumber: Int = 0) {
        self.configuration = configuration
        self.laps = laps
        self.lastNumber = max(lastNumber, laps.map(\.number).max() ?? 0)
        lastRunner = laps.map(\.runner).max() ?? 0
    }

    /// Prepares for the frames of another stream, which numbers its own tracks. Running clocks go on.
    package mutating func beginStream() {
        runnerOfTrack = [:]
        passages = [:]
        lastSeen = [:]
        inSight = []
        lastConfidence = nil
        visits.leave()
    }

    /// Objects that could be timed, most certain first.
    package var candidates: [LapCandidate] {
        seen.filter { lastMilliseconds - $0.value.milliseconds <= Self.candidateMemory }
            .map { LapCandidate(label: $0.key, confidence: $0.value.confidence) }
            .sorted { ($1.confidence, $0.label) < ($0.confidence, $1.label) }
    }

    // MARK: By hand

    /// - Parameter wanted: the label to time if the configuration names none. It must have been seen since the warm-up
    ///   began. Nil takes the most certain candidate.
    /// - Throws: ``LapError/noCandidate`` if there is nothing to time, ``LapError/alreadyStarted``.
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

    /// Stops every clock. The laps stay.
    package mutating func warmUp() -> [LapEvent] {
        guard state != .warmUp else { return [] }
        beginStream()
        label = nil
        counting = nil
        visits = LapVisits()
        runners = []
        seen = [:]
        return enter(.warmUp)
    }

    /// Forgets the objects in sight, because the stream now looks for other ones.
    ///
    /// - Parameter label: the label to time, in sight or not. Nil takes what is in sight at the start.
    package mutating func choose(_ label: String?) {
        chosen = label
        seen = [:]
        reference = nil
    }

    /// Moves the finishing line. Nil means the middle of the picture. Completed laps stay.
    ///
    /// - Throws: ``LapError/alreadyStarted``: moving the line under a running clock would give that lap an undefined
    ///   length.
    package mutating func move(line: LapConfiguration.Line?) throws(LapError) {
        guard state == .warmUp else { throw .alreadyStarted }
        configuration.line = line
        passages = [:]
    }

    /// Undoes a lap as if the object had not been seen when it closed. The next lap includes its time.
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

    /// Takes a frame that a detector searched.
    ///
    /// - Parameter sightings: every object in sight, of any kind.
    package mutating func observe(_ sightings: [LapSighting], atMilliseconds now: Double) -> [LapEvent] {
        guard advance(to: now) else { return [] }
        for sighting in sightings {
            note(sighting.label, sighting.confidence, now)
            // The chosen label sets the reference confidence, even if it is not the first guess.
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

    /// Advances the time. Returns false for a frame that is not newer than the last one.
    mutating func advance(to now: Double) -> Bool {
        guard now.isFinite, now > lastMilliseconds else { return false }
        lastMilliseconds = now
        return true
    }

    mutating func note(_ label: String, _ confidence: Double, _ now: Double) {
        seen[label] = (confidence, now)
        if seen.count > 256 { seen = seen.filter { now - $0.value.milliseconds <= Self.candidateMemory } }
        // A label that was named before it was seen sets the reference when it is seen.
        if label == self.label { reference = max(reference ?? 0, confidence) }
    }

    private mutating func enter(_ state: LapState) -> [LapEvent] {
        self.state = state
        return [.state(state)]
    }

    /// Leaves `end`, which lasts only for the frame in which a lap closes.
    mutating func rest() -> [LapEvent] { state == .end ? enter(.lapping) : [] }

    private mutating func pass(_ passing: LinePassage.Passing, track: Int) -> [LapEvent] {
        if let number = runnerOfTrack[track], let runner = runners.first(where: { $0.number == number }) {
            // A passing in the other direction is the far side of the track, or a step back over the line.
            guard runner.isForward == passing.isForward, isLap(passing.milliseconds, of: runner) else { return [] }
            return close(number, track: track, confidence: passing.confidence, atMilliseconds: passing.milliseconds)
        }
        let present = Set(inSight.compactMap { runnerOfTrack[$0] })
        // The runner that has been away longest is expected first.
        let returning = runners.filter {
            !present.contains($0.number) && $0.isForward == passing.isForward && isLap(passing.milliseconds, of: $0)
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

    /// Counts the visits of the object. Before the way of counting is chosen, waits for a complete visit.
    private mutating func count(_ sight: (new: LapVisits.Visit?, whole: Bool)) -> [LapEvent] {
        guard let label else { return [] }
        var new = sight.new.map { [$0] } ?? []
        if counting == nil {
            guard sight.whole else { return [] }
            // The object came and left without crossing the middle, so each visit counts, from the first on.
            counting = .sight
            new = visits.all
        }
        return new.reduce(into: []) { events, visit in
            guard let runner = runners.first else {
                events += begin(label, atMilliseconds: visit.milliseconds, isForward: nil)
                return
            }
            guard isLap(visit.milliseconds, of: runner) else { return }
            events += close(
                runner.number, track: visit.track, confidence: visit.confidence, atMilliseconds: visit.milliseconds)
        }
    }

    /// Whether a passing at this time is late enough to close the runner's lap.
    func isLap(_ milliseconds: Double, of runner: Runner) -> Bool {
        milliseconds - runner.startedMilliseconds >= configuration.minimumMilliseconds
    }

    mutating func begin(_ label: String, atMilliseconds now: Double, isForward: Bool?) -> [LapEvent] {
        lastRunner += 1
        runners.append(Runner(number: lastRunner, label: label, startedMilliseconds: now, isForward: isForward))
        let events = [LapEvent.started(runner: lastRunner, label: label, atMilliseconds: now)]
        return state == .start ? events + enter(.lapping) : events
    }

    mutating func close(_ number: Int, track: Int?, confidence: Double, atMilliseconds now: Double) -> [LapEvent] {
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
