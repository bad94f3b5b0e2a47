package import Base

/// The jobs that a process knows: its own jobs, which wait or run, the jobs of other processes that it follows, and
/// jobs that are over.
///
/// A job is *here* after this process has claimed it, until it is over, cancelled, or lost to another process. Only a
/// job that is here gets a task.
package final class JobTable<Record: JobRecord>: Sendable {
    private struct Entry {
        var record: Record
        var isHere = false
        var task: Task<Void, Never>?
        /// Whether the job lets another one go first, because another process still works on its files, or because
        /// the store is away.
        var isResting = false
        /// How often the store went away during the work.
        var interruptions = 0
        /// The progress in the row.
        var stored: Record.Progress?
    }

    private struct State {
        var entries: [ULID: Entry] = [:]
        /// Jobs that are being received, and for which a place is reserved.
        var reserved: Set<ULID> = []
        /// The jobs that are over and still in `entries`, oldest first.
        var recent: [ULID] = []
        /// The running tasks, also of removed jobs whose task has not ended yet.
        var running = 0
        var upkeep: Task<Void, Never>?
        var isStopped = false

        var unfinished: Int { reserved.count + entries.values.count { $0.isHere && !$0.record.state.isOver } }
    }

    private let width: Int
    private let places: Int
    private let remembered: Int?
    private let state = Locked(State())
    /// One change of a row at a time, so that an older state never replaces a newer one.
    let saving = AsyncTurns(width: 1, maximumWaiting: 1_024)
    /// Lets one task read the rows at a time. If too many wait, a further one is refused, because those before it will
    /// read the same changes.
    let looking = AsyncTurns(width: 1, maximumWaiting: 64)

    /// - Parameters:
    ///   - width: the number of jobs that run at a time.
    ///   - maximumWaiting: the number of further jobs that may wait.
    ///   - remembered: the number of ended jobs that stay in memory. Nil keeps every job that has a row.
    package init(width: Int, maximumWaiting: Int, remembered: Int?) {
        self.width = max(1, width)
        places = self.width + max(0, maximumWaiting)
        self.remembered = remembered
    }

    // MARK: Asking

    /// Whether every job that has a row is in memory.
    var holdsAll: Bool { remembered == nil }

    /// The record of a job. Nil if this process does not know it.
    package func record(_ id: ULID) -> Record? { state.withLock { $0.entries[id]?.record } }

    /// Newest first.
    package var records: [Record] {
        state.withLock { $0.entries.values.map(\.record) }.sorted { $0.id > $1.id }
    }

    /// The numbers of waiting and of running jobs.
    package var counts: (waiting: Int, running: Int) {
        let open = state.withLock { $0.entries.values.map(\.record.state) }.filter { !$0.isOver }
        let waiting = open.count { $0 == .waiting }
        return (waiting, open.count - waiting)
    }

    /// The jobs of this process that are not over.
    package var unfinished: [Record] {
        state.withLock { $0.entries.values.filter { $0.isHere && !$0.record.state.isOver }.map(\.record) }
            .sorted { $0.id < $1.id }
    }

    /// The jobs of other processes that are not over.
    var followed: [ULID] {
        state.withLock { $0.entries.values.filter { !$0.isHere && !$0.record.state.isOver }.map(\.record.id) }
    }

    /// Whether a job waits or runs in this process.
    package func isHere(_ id: ULID) -> Bool { state.withLock { $0.entries[id]?.isHere == true } }

    /// The jobs that run here and whose newest progress is not in their row yet.
    var unstored: [ULID] {
        state.withLock {
            $0.entries.values.filter { $0.task != nil && $0.stored != $0.record.progressMark }.map(\.record.id)
        }
    }

    // MARK: Places

    /// Whether there is a place for another job.
    package var hasRoom: Bool { state.withLock { !$0.isStopped && $0.unfinished < places } }

    /// Reserves a place for a job that is being received. ``giveBack(_:)`` gives it back, and the start of the job uses
    /// it.
    ///
    /// - Returns: false if all places are taken.
    package func reserve(_ id: ULID) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.unfinished < places else { return false }
            state.reserved.insert(id)
            return true
        }
    }

    /// Gives back a reserved place that was not used.
    package func giveBack(_ id: ULID) { state.withLock { _ = $0.reserved.remove(id) } }

    // MARK: Changing

    /// - Returns: the record before and after the change. Nil if there is no such job.
    func change(_ id: ULID, _ change: (inout Record) -> Void) -> (before: Record, after: Record)? {
        state.withLock { state in
            guard let before = state.entries[id]?.record else { return nil }
            var after = before
            change(&after)
            state.entries[id]?.record = after
            settle(id, &state)
            return (before, after)
        }
    }

    /// Replaces the record of a job by the one in its row. A job that is over stays over: its row was read before it
    /// ended.
    ///
    /// - Parameter adds: whether an unknown job is added.
    /// - Returns: whether the record is in the table now, and the record before.
    func adopt(_ record: Record, adds: Bool) -> (isIn: Bool, before: Record?) {
        state.withLock { state in
            let before = state.entries[record.id]?.record
            guard before != nil || adds else { return (false, nil) }
            if let before, before.state.isOver, !record.state.isOver { return (false, nil) }
            state.entries[record.id, default: Entry(record: record)].record = record
            settle(record.id, &state)
            return (true, before)
        }
    }

    /// Makes a job wait for its turn here.
    ///
    /// - Returns: false if the job is here already or all work was stopped.
    func start(_ record: Record) -> Bool {
        state.withLock { state in
            state.reserved.remove(record.id)
            guard !state.isStopped, state.entries[record.id]?.isHere != true else { return false }
            var entry = state.entries[record.id] ?? Entry(record: record)
            (entry.record, entry.isHere) = (record, true)
            entry.record.state = .waiting
            state.entries[record.id] = entry
            return true
        }
    }

    /// Starts tasks for the oldest waiting jobs, as long as fewer than `width` run.
    func startNext(_ run: (Record) -> Task<Void, Never>) {
        state.withLock { state in
            guard !state.isStopped, state.running < width else { return }
            let waiting = state.entries.values.filter {
                $0.isHere && $0.task == nil && !$0.isResting && !$0.record.state.isOver
            }.map(\.record).sorted { $0.id < $1.id }
            for record in waiting.prefix(width - state.running) {
                state.running += 1
                state.entries[record.id]?.task = run(record)
            }
        }
    }

    /// Notes that the task of a job has ended.
    ///
    /// - Parameter rests: whether another job goes first the next time.
    func finish(_ id: ULID, rests: Bool) {
        state.withLock { state in
            state.running -= 1
            state.entries[id]?.task = nil
            state.entries[id]?.isResting = rests
            settle(id, &state)
        }
    }

    /// Counts that the store went away during the work on a job.
    ///
    /// - Returns: how often that has happened.
    func countInterruption(_ id: ULID) -> Int {
        state.withLock { state in
            state.entries[id]?.interruptions += 1
            return state.entries[id]?.interruptions ?? 0
        }
    }

    func endRest(_ id: ULID) { state.withLock { $0.entries[id]?.isResting = false } }

    func noteStored(_ id: ULID, _ progress: Record.Progress) { state.withLock { $0.entries[id]?.stored = progress } }

    /// Gives up a job of this process, and cancels the work on it.
    ///
    /// - Returns: its task, which may still run for a moment.
    @discardableResult func lose(_ id: ULID) -> Task<Void, Never>? {
        let task = state.withLock { state in
            state.entries[id]?.isHere = false
            return state.entries[id]?.task
        }
        task?.cancel()
        return task
    }

    /// Forgets a job and stops the work on it.
    func remove(_ id: ULID) -> (record: Record?, wasHere: Bool) {
        let entry = state.withLock { state in
            state.recent.removeAll { $0 == id }
            return state.entries.removeValue(forKey: id)
        }
        entry?.task?.cancel()
        return (entry?.record, entry?.isHere ?? false)
    }

    /// Marks a job as over, and forgets the oldest jobs that are over.
    private func settle(_ id: ULID, _ state: inout State) {
        guard let entry = state.entries[id], entry.record.state.isOver, entry.task == nil else { return }
        state.entries[id]?.isHere = false
        guard let remembered, !state.recent.contains(id) else { return }
        state.recent.append(id)
        if state.recent.count > remembered { state.entries[state.recent.removeFirst()] = nil }
    }

    // MARK: Upkeep

    func keepUp(_ upkeep: () -> Task<Void, Never>) {
        state.withLock { state in
            guard !state.isStopped, state.upkeep == nil else { return }
            state.upkeep = upkeep()
        }
    }

    /// Stops all work. No job starts afterwards.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return [state.upkeep].compactMap(\.self) + state.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
