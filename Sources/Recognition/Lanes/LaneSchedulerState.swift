import Base
import Dispatch

/// The state of ``LaneScheduler`` behind its lock.
struct LaneSchedulerState {
    typealias LineID = LaneScheduler.LineID
    typealias Job = LaneScheduler.Job
    typealias Turn = FairQueue<LineID, Job>.Turn

    private struct Line {
        let lanes: Int
        let observer: any RecognitionObserver
        var rate = ServiceRate()
        /// The number of pieces of work in progress.
        var running = 0
        var isStopped = false
        /// Signalled when a stopped line has nothing left to do.
        let isDone = DispatchSemaphore(value: 0)
    }

    /// The result of admitting a piece of work.
    struct Admission {
        /// The reason for a refusal. Nil if it was admitted.
        var failure: RecognitionError?
        var observer: (any RecognitionObserver)?
        /// The number of pieces of work that wait in its line.
        var depth = 0
        /// Whether every free thread would take it.
        var isForAnyThread = true
    }

    /// The next step of a thread.
    enum Work {
        case turn(Turn, any RecognitionObserver, depth: Int)
        case expired([(Job, (any RecognitionObserver)?)])
        case stop
    }

    private var lines: [LineID: Line] = [:]
    var queue: FairQueue<LineID, Job>
    private var pace = BackgroundPace()
    var threads: [WorkerThread] = []
    /// Threads of an earlier generation end.
    private var generation = 0
    private var lastLine: LineID = 0
    private var lanes = 0

    init(policy: QueuePolicy) { queue = FairQueue(policy: policy) }

    /// - Returns: the id of the line, the lanes that need a thread, and the generation of the threads.
    mutating func openLine(width: Int, observer: any RecognitionObserver) -> (LineID, Range<Int>, generation: Int) {
        lastLine += 1
        lines[lastLine] = Line(lanes: width, observer: observer)
        let before = lanes
        lanes = max(lanes, width)
        return (lastLine, before..<lanes, generation)
    }

    /// Stops a line from taking more work.
    ///
    /// - Returns: the jobs to refuse, and a semaphore to wait for. Nil if the line is stopped already.
    mutating func stop(_ id: LineID, finishingQueue: Bool) -> ([Job], DispatchSemaphore?) {
        guard let line = lines[id], !line.isStopped else { return ([], nil) }
        lines[id]?.isStopped = true
        let waiting = finishingQueue ? [] : queue.remove(id)
        signalIfDone(id)
        return (waiting, line.isDone)
    }

    /// Removes a stopped line that is done.
    ///
    /// - Returns: the threads to join: all of them after the last line.
    mutating func close(_ id: LineID) -> [WorkerThread] {
        lines[id] = nil
        _ = queue.remove(id)
        guard lines.isEmpty else { return [] }
        generation += 1
        lanes = 0
        defer { threads = [] }
        return threads
    }

    mutating func admit(
        _ job: Job, id: UInt64, isBegun: Bool, priority: Priority, deadline: ContinuousClock.Instant?
    ) -> Admission {
        guard let line = lines[job.line], !line.isStopped else { return Admission(failure: .stopped) }
        let isAdmitted = queue.admit(
            job, to: job.line, id: id, isBegun: isBegun, priority: priority, now: .now, deadline: deadline)
        let depth = queue.count(of: job.line)
        return Admission(
            failure: isAdmitted ? nil : .overloaded(retryAfter: line.rate.drainTime(of: depth + line.running)),
            observer: line.observer, depth: depth,
            isForAnyThread: priority != .background && lines.values.allSatisfy { $0.lanes == lanes })
    }

    /// Removes a piece of work if it still waits.
    mutating func depart(_ id: UInt64, from line: LineID) -> (Job?, (any RecognitionObserver)?) {
        let job = queue.depart(id, from: line)
        signalIfDone(line)
        return (job, lines[line]?.observer)
    }

    /// The next step for the thread of a lane.
    mutating func next(lane: Int, generation: Int) -> Monitor<LaneSchedulerState>.Step<Work> {
        guard generation == self.generation else { return .done(.stop) }
        let now = ContinuousClock.now
        let expired = queue.dropExpired(now: now)
        guard expired.isEmpty else {
            for job in expired { signalIfDone(job.line) }
            return .done(.expired(expired.map { ($0, lines[$0.line]?.observer) }))
        }
        let hold = pace.hold(queue.waiting, now: now)
        let next = queue.next(takesBackground: hold == nil) { [lines] in lane < lines[$0]?.lanes ?? 0 }
        // A queue is removed with its line.
        guard let turn = next, let line = lines[turn.key] else { return hold.map { .waitUntil($0) } ?? .wait }
        lines[turn.key]?.running += 1
        pace.begin(turn.entry.priority)
        return .done(.turn(turn, line.observer, depth: queue.count(of: turn.key)))
    }

    /// Whether interactive photos come.
    var isBusy: Bool { pace.isBusy(queue.waiting, now: .now) }

    /// Records the end of a turn.
    mutating func end(_ turn: Turn, now: ContinuousClock.Instant, seconds: Double) {
        queue.end(turn, seconds: seconds)
        pace.end(turn.entry.priority, now: now)
        guard let running = lines[turn.key]?.running else { return }
        lines[turn.key]?.running = running - 1
        lines[turn.key]?.rate.complete(now: now, isBusy: running - 1 + queue.count(of: turn.key) > 0)
        signalIfDone(turn.key)
    }

    /// Wakes the thread that waits for a stopped line to finish.
    private mutating func signalIfDone(_ id: LineID) {
        guard let line = lines[id], line.isStopped, line.running == 0, queue.count(of: id) == 0 else { return }
        line.isDone.signal()
    }
}
