package import Base

/// The jobs that a process knows: its own, which wait or run, those of other processes that it follows, and those that are
/// over.
///
/// A job is *here* from the moment this process has claimed it until it is over, cancelled, or lost to another process.
/// Only a job that is here gets a task.
package final class JobTable<Record: JobRecord>: Sendable {
    private struct Entry {
        var record: Record
        var isHere = false
        var task: Task<Void, Never>?
        /// The files are another process's for a moment: the next turn is not its own.
        var isResting = false
        /// The progress in the row.
        var stored: Record.Progress?
    }

    private struct State {
        var entries: [ULID: Entry] = [:]
        /// Jobs that are on their way and have a place.
        var reserved: Set<ULID> = []
        /// The jobs that are over and still in `entries`, the oldest first.
        var recent: [ULID] = []
        /// Tasks, with those of jobs that were removed and have not ended yet.
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
    /// One look at the rows at a time. One more than these may be left out: those before it see the same news.
    let looking = AsyncTurns(width: 1, maximumWaiting: 64)

    /// - Parameters:
    ///   - width: how many jobs run at a time.
    ///   - maximumWaiting: how many more may wait.
    ///   - remembered: how many jobs that are over stay here; nil: every job that has a row is here.
    package init(width: Int, maximumWaiting: Int, remembered: Int?) {
        self.width = max(1, width)
        places = self.width + max(0, maximumWaiting)
        self.remembered = remembered
    }

    // MARK: Asking

    /// Whether every job that has a row is here.
    var holdsAll: Bool { remembered == nil }

    /// nil for a job that this process does not know.
    package func record(_ id: ULID) -> Record? { state.withLock { $0.entries[id]?.record } }

    /// Newest first.
    package var records: [Record] {
        state.withLock { $0.entries.values.map(\.record) }.sorted { $0.id > $1.id }
    }

    /// How many jobs wait, and how many are worked on.
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

    /// Jobs that run here, and whose progress is not in their row yet.
    var unstored: [ULID] {
        state.withLock {
            $0.entries.values.filter { $0.task != nil && $0.stored != $0.record.progressMark }.map(\.record.id)
        }
    }

    // MARK: Places

    /// Whether another job may come now.
    package var hasRoom: Bool { state.withLock { !$0.isStopped && $0.unfinished < places } }

    /// Keeps a place for a job that is on its way; false where there is none. ``giveBack(_:)`` gives it back, and a job
    /// that starts takes it up.
    package func reserve(_ id: ULID) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.unfinished < places else { return false }
            state.reserved.insert(id)
            return true
        }
    }

    /// Gives up a place that was kept and not taken up.
    package func giveBack(_ id: ULID) { state.withLock { _ = $0.reserved.remove(id) } }

    // MARK: Changing

    /// - Returns: the record before and after; nil where there is none.
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

    /// Takes in what the row says of a job that is not here. A task that it has here is cancelled.
    ///
    /// - Parameter adds: whether a job that nobody knew is taken in.
    /// - Returns: whether the record is in the table now, and the one before.
    func adopt(_ record: Record, adds: Bool) -> (isIn: Bool, before: Record?) {
        state.withLock { state in
            let before = state.entries[record.id]?.record
            guard before != nil || adds else { return (false, nil) }
            state.entries[record.id, default: Entry(record: record)].record = record
            settle(record.id, &state)
            return (true, before)
        }
    }

    /// Has a job be here, where it waits for its turn; false where it is here already, or all work was stopped.
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

    /// Gives the oldest jobs that wait a task, as far as there are turns.
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
    /// - Parameter rests: whether another job goes first.
    func finish(_ id: ULID, rests: Bool) {
        state.withLock { state in
            state.running -= 1
            state.entries[id]?.task = nil
            state.entries[id]?.isResting = rests
            settle(id, &state)
        }
    }

    func endRest(_ id: ULID) { state.withLock { $0.entries[id]?.isResting = false } }

    func noteStored(_ id: ULID, _ progress: Record.Progress) { state.withLock { $0.entries[id]?.stored = progress } }

    /// Takes a job from this process. The work on it stops.
    ///
    /// - Returns: its task, which may run for a moment more.
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

    /// A job that is over is nobody's work, and the oldest of those go.
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

    /// Stops all work, and takes no more.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return [state.upkeep].compactMap(\.self) + state.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
