import Base
import Dispatch

/// What ``LaneScheduler`` keeps behind its lock.
struct LaneSchedulerState {
    typealias LineID = LaneScheduler.LineID
    typealias Job = LaneScheduler.Job
    typealias Turn = FairQueue<LineID, Job>.Turn

    private struct Line {
        let lanes: Int
        let observer: any RecognitionObserver
        var rate = ServiceRate()
        /// Pieces of work that were begun.
        var running = 0
        /// Turns that have not ended.
        var turns = 0
        var isStopped = false
        /// Signalled when a stopped line has nothing left to do.
        let isDone = DispatchSemaphore(value: 0)
    }

    /// What became of a piece of work that came.
    struct Admission {
        /// Why it is not taken; nil for one that is.
        var failure: RecognitionError?
        var observer: (any RecognitionObserver)?
        /// Pieces of work that wait in its line.
        var depth = 0
        /// Whether every thread can serve every line.
        var isUniform = true
    }

    /// What a thread is to do next.
    enum Work {
        case turn(Turn, any RecognitionObserver, depth: Int)
        case expired([(Job, (any RecognitionObserver)?)])
        case stop
    }

    private var lines: [LineID: Line] = [:]
    var queue: FairQueue<LineID, Job>
    var threads: [WorkerThread] = []
    /// Threads of an earlier generation end.
    private var generation = 0
    private var lastLine: LineID = 0
    private var lanes = 0

    init(policy: BatchPolicy) {
        queue = FairQueue(policy: policy)
    }

    /// - Returns: the line's name here, the lanes that need a thread, and the threads' generation.
    mutating func open(
        lanes wanted: Int, observer: any RecognitionObserver
    ) -> (LineID, Range<Int>, generation: Int) {
        lastLine += 1
        lines[lastLine] = Line(lanes: wanted, observer: observer)
        let before = lanes
        lanes = max(lanes, wanted)
        return (lastLine, before..<lanes, generation)
    }

    /// Takes nothing more in a line.
    ///
    /// - Returns: what is to be refused, and what to wait for; nil when the line is stopped already.
    mutating func stop(_ id: LineID, finishingQueue: Bool) -> ([Job], DispatchSemaphore?) {
        guard let line = lines[id], !line.isStopped else { return ([], nil) }
        lines[id]?.isStopped = true
        let waiting = finishingQueue ? [] : queue.remove(id)
        signalIfDone(id)
        return (waiting, line.isDone)
    }

    /// Forgets a line that was stopped and is done.
    ///
    /// - Returns: threads to be joined: all, after the last line.
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
            observer: line.observer, depth: depth, isUniform: lines.values.allSatisfy { $0.lanes == lanes })
    }

    /// Takes out a piece of work, if it still waits.
    mutating func depart(_ id: UInt64, from line: LineID) -> (Job?, (any RecognitionObserver)?) {
        let job = queue.depart(id, from: line)
        signalIfDone(line)
        return (job, lines[line]?.observer)
    }

    /// What the thread of a lane does now.
    mutating func next(lane: Int, generation: Int) -> Monitor<LaneSchedulerState>.Step<Work> {
        guard generation == self.generation else { return .done(.stop) }
        let now = ContinuousClock.now
        let expired = queue.dropExpired(now: now)
        guard expired.isEmpty else {
            for job in expired { signalIfDone(job.line) }
            return .done(.expired(expired.map { ($0, lines[$0.line]?.observer) }))
        }
        let next = queue.next(now: now) { [lines] id in
            let lanes = lines[id]?.lanes ?? 0
            return lane < lanes ? lanes : 0
        }
        switch next {
        case .turn(let turn):
            // A queue is removed with its line.
            guard let line = lines[turn.key] else { return .wait }
            lines[turn.key]?.running += turn.batch.entries.count
            lines[turn.key]?.turns += 1
            return .done(.turn(turn, line.observer, depth: queue.count(of: turn.key)))
        case .notBefore(let instant):
            return .waitFor(instant - now)
        case .empty:
            return .wait
        }
    }

    /// A piece of work is done.
    mutating func complete(_ id: LineID, now: ContinuousClock.Instant) {
        lines[id]?.running -= 1
        let isBusy = (lines[id]?.running ?? 0) + queue.count(of: id) > 0
        lines[id]?.rate.complete(now: now, isBusy: isBusy)
    }

    /// A turn has ended.
    mutating func end(_ turn: Turn, seconds: Double) {
        queue.end(turn, seconds: seconds)
        lines[turn.key]?.turns -= 1
        signalIfDone(turn.key)
    }

    /// Wakes who waits for a stopped line when it has nothing left to do.
    private mutating func signalIfDone(_ id: LineID) {
        guard let line = lines[id], line.isStopped, line.turns == 0, queue.count(of: id) == 0 else { return }
        line.isDone.signal()
    }
}
