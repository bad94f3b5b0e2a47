import Dispatch

/// The work that waits in one line, and the account by which ``LaneQueue`` chooses among lines.
struct WaitingLine {
    typealias Work = LaneScheduler.Work

    let line: LaneScheduler.Line
    private let policy: QueuePolicy
    /// The waiting work in the order in which it came.
    var waiting: [Work] = []
    var isStopped = false
    /// The number of pieces of work in progress.
    private(set) var running = 0
    private(set) var rate = ServiceRate()
    /// Seconds of service, including estimates.
    private(set) var clock = 0.0
    /// The number of its last turn.
    private(set) var lastTurn = 0
    /// Smoothed seconds of a piece of work. Before the first measurement it is a cautious 10 ms.
    private var cost = 0.01
    /// The number of interactive pieces of work taken since the last bulk one.
    private var takenSinceBulk = 0

    /// The weight of a new measurement of the cost.
    private static let weight = 0.2

    init(_ line: LaneScheduler.Line, _ policy: QueuePolicy) { (self.line, self.policy) = (line, policy) }

    /// Whether ``take(takesBackground:start:turn:)`` has something to take.
    func hasNext(takesBackground: Bool) -> Bool {
        waiting.contains { takesBackground || $0.priority != .background }
    }

    /// Takes the next piece of work and charges its estimate to the line at once, so that other lanes see it.
    ///
    /// - Parameters:
    ///   - takesBackground: whether background work may be taken. It then counts as bulk work.
    ///   - start: the clock of the line at the start of its turn.
    ///   - turn: the number of the turn.
    mutating func take(takesBackground: Bool, start: Double, turn: Int) -> Work? {
        guard let place = next(takesBackground: takesBackground) else { return nil }
        var work = waiting.remove(at: place)
        work.estimate = cost
        (clock, lastTurn, running) = (start + cost, turn, running + 1)
        return work
    }

    /// The place of the next piece of work: one that was begun, then interactive work, with a share for bulk work.
    private mutating func next(takesBackground: Bool) -> Int? {
        if let begun = waiting.firstIndex(where: { $0.isBegun && $0.priority == .interactive }) { return begun }
        let interactive = waiting.firstIndex { $0.priority == .interactive }
        let bulk = waiting.firstIndex { $0.priority == .bulk || takesBackground && $0.priority == .background }
        let bulkIsDue = bulk != nil && takenSinceBulk >= policy.bulkShare - 1
        guard let interactive, !bulkIsDue else {
            if bulk != nil { takenSinceBulk = 0 }
            return bulk
        }
        takenSinceBulk = bulk == nil ? 0 : takenSinceBulk + 1
        return interactive
    }

    /// Records the end of a piece of work, and replaces its estimate by the measured seconds.
    mutating func end(_ work: Work, now: ContinuousClock.Instant, seconds: Double) {
        clock += seconds - work.estimate
        cost += (max(seconds, 1e-6) - cost) * Self.weight
        running -= 1
        rate.complete(now: now, isBusy: running + waiting.count > 0)
        signalIfDone()
    }

    /// Removes waiting work.
    mutating func removeAll(where isRemoved: (Work) -> Bool) -> [Work] {
        defer { signalIfDone() }
        guard waiting.contains(where: isRemoved) else { return [] }
        defer { waiting.removeAll(where: isRemoved) }
        return waiting.filter(isRemoved)
    }

    /// Wakes the thread that waits for a stopped line to finish.
    private func signalIfDone() {
        if isStopped, running == 0, waiting.isEmpty { line.isDone.signal() }
    }
}
