import Base

/// The lines of work that wait for lanes, and the order in which lanes take it. A pure value without clock, lock or
/// thread. The owner passes the time in.
///
/// Each line gets the same share of the lanes' time, whatever its work costs and however much waits. This is start-time
/// fair queueing (Goyal, Vin and Cheng 1996): each line has a clock that advances by its seconds of service. The line
/// whose clock is furthest behind goes next. A line that was idle joins at the others' time. Idleness earns no credit,
/// so no line can catch up by starving the rest.
struct LaneQueue {
    typealias Work = LaneScheduler.Work

    private let policy: QueuePolicy
    private var lines: [UInt64: WaitingLine] = [:]
    private var pace = BackgroundPace()
    /// The clock of the last served line at the start of its turn.
    private var time = 0.0
    private var turns = 0

    init(policy: QueuePolicy) { self.policy = policy }

    mutating func open(_ line: LaneScheduler.Line) { lines[line.id] = WaitingLine(line, policy) }

    /// Stops a line from taking more work.
    ///
    /// - Returns: the work to refuse. Nil if the line is stopped already.
    mutating func stop(_ line: LaneScheduler.Line, finishingQueue: Bool) -> [Work]? {
        guard lines[line.id]?.isStopped == false else { return nil }
        lines[line.id]?.isStopped = true
        return lines[line.id]?.removeAll { _ in !finishingQueue }
    }

    /// Removes a stopped line that is done.
    mutating func close(_ line: LaneScheduler.Line) { lines[line.id] = nil }

    /// Whether no line is open.
    var isClosed: Bool { lines.isEmpty }

    /// The number of waiting pieces of work in a line.
    func count(of line: LaneScheduler.Line) -> Int { lines[line.id]?.waiting.count ?? 0 }

    /// Whether each of this many lanes may take a piece of work at once.
    func suitsAll(_ lanes: Int, _ work: Work) -> Bool {
        work.priority != .background && lines.values.allSatisfy { $0.line.width == lanes }
    }

    /// Adds a piece of work to its line.
    ///
    /// - Returns: the number of pieces of work that wait there now.
    /// - Throws: `RecognitionError.stopped`, or `.overloaded(retryAfter:)` if the line is full.
    mutating func admit(_ work: Work) throws(RecognitionError) -> Int {
        guard let line = lines[work.line.id], !line.isStopped else { throw .stopped }
        let depth = line.waiting.count
        guard depth < policy.maximumDepth else {
            throw .overloaded(retryAfter: line.rate.drainTime(of: depth + line.running))
        }
        lines[work.line.id]?.waiting.append(work)
        return depth + 1
    }

    /// Removes a piece of work whose client left. Nil if it does not wait any more.
    mutating func depart(_ id: UInt64, from line: LaneScheduler.Line) -> Work? {
        lines[line.id]?.removeAll { $0.id == id }.first
    }

    /// Removes the work whose deadline has passed.
    mutating func dropExpired(now: ContinuousClock.Instant) -> [Work] {
        var expired: [Work] = []
        for id in lines.keys {
            expired += lines[id]?.removeAll { work in work.deadline.map { $0 <= now } ?? false } ?? []
        }
        return expired
    }

    /// Takes the next piece of work for a free lane. Nil if nothing waits that it may take.
    mutating func next(for lane: Int, now: ContinuousClock.Instant) -> Work? {
        let takesBackground = hold(now: now) == nil
        // Among equals, the line with the oldest last turn goes first.
        let rank = { [time] (line: WaitingLine) in (max(line.clock, time), line.lastTurn) }
        let first = lines.values
            .filter { lane < $0.line.width && $0.hasNext(takesBackground: takesBackground) }
            .min { rank($0) < rank($1) }
            .map { (id: $0.line.id, clock: $0.clock) }
        guard let first else { return nil }
        (time, turns) = (max(first.clock, time), turns + 1)
        let (start, turn) = (time, turns)
        let work = lines[first.id]?.take(takesBackground: takesBackground, start: start, turn: turn)
        if let work { pace.begin(work.priority) }
        return work
    }

    /// Records the end of a piece of work that a lane took, and its duration in seconds.
    mutating func end(_ work: Work, now: ContinuousClock.Instant, seconds: Double) {
        pace.end(work.priority, now: now)
        lines[work.line.id]?.end(work, now: now, seconds: seconds)
    }

    /// The time at which to ask again whether a lane may take background work. Nil if it may, or none waits.
    func hold(now: ContinuousClock.Instant) -> ContinuousClock.Instant? { pace.hold(waiting, now: now) }

    /// Whether interactive work waits or runs, or did so a moment ago.
    func isBusy(now: ContinuousClock.Instant) -> Bool { pace.isBusy(waiting, now: now) }

    /// The waiting work by its effect on background work.
    private var waiting: BackgroundPace.Waiting {
        lines.values.reduce(into: BackgroundPace.Waiting()) { sum, line in
            for work in line.waiting {
                switch work.priority {
                case .interactive: sum.interactive += 1
                case .bulk: sum.bulk += 1
                case .background: sum.backgroundSince = min(sum.backgroundSince ?? work.admitted, work.admitted)
                }
            }
        }
    }
}

/// The priority of a waiting photo.
package enum Priority: String, Sendable, CaseIterable, Codable {
    /// Somebody waits for the answer.
    case interactive
    /// Somebody waits for many photos together, such as those of an archive. Other photos go first.
    case bulk
    /// Nobody waits. Trainings, evaluations and films use the lanes that are left over; see `BackgroundPace`.
    case background
}

/// The rules of each line.
package struct QueuePolicy: Sendable, Equatable {
    /// The most photos that may wait. Further ones are refused.
    package var maximumDepth: Int
    /// While bulk photos wait, one of this many turns is theirs, so that interactive ones cannot starve them.
    package var bulkShare: Int

    /// The defaults are 256 waiting, every fourth turn for bulk.
    package init(maximumDepth: Int = 256, bulkShare: Int = 4) {
        self.maximumDepth = max(1, maximumDepth)
        self.bulkShare = max(1, bulkShare)
    }
}
