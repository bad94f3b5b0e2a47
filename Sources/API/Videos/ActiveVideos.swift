import Base
import HTTP
import History

/// The videos that wait, that are worked on, or that were until a moment ago: how far each is, its task and its events.
final class ActiveVideos: Sendable {
    private struct Entry {
        var job: VideoJob
        let channel: EventChannel
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [ULID: Entry] = [:]
        /// Finished ones that are still in `entries`, for those who listen; the oldest first.
        var recent: [ULID] = []
        /// Videos that are on their way and have a place.
        var reserved: Set<ULID> = []
        var isStopped = false

        var unfinished: Int { reserved.count + entries.values.count { !$0.job.state.isFinished } }
    }

    private let state = Locked(State())

    /// Finished videos whose events are kept for those who come late.
    private static let maximumRecent = 32

    // MARK: Asking

    func job(_ id: ULID) -> VideoJob? { state.withLock { $0.entries[id]?.job } }

    func channel(_ id: ULID) -> EventChannel? { state.withLock { $0.entries[id]?.channel } }

    /// Videos that wait and that are worked on.
    var counts: (waiting: Int, working: Int) {
        state.withLock { state in
            (
                state.entries.values.count { $0.job.state == .waiting },
                state.entries.values.count { $0.job.state == .working }
            )
        }
    }

    /// The videos that are not done yet.
    var unfinishedIDs: [ULID] {
        state.withLock { $0.entries.values.map(\.job).filter { !$0.state.isFinished }.map(\.id).sorted() }
    }

    /// How many are not done yet, with those on their way; nil once all work was stopped.
    var unfinished: Int? { state.withLock { $0.isStopped ? nil : $0.unfinished } }

    // MARK: Changing

    /// Gives a video that is on its way a place among so many; false where there is none. ``insert(_:)`` takes it up.
    func reserve(_ id: ULID, of places: Int) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.unfinished < places else { return false }
            state.reserved.insert(id)
            return true
        }
    }

    /// Gives the place of a video back that was not taken up.
    func giveBack(_ id: ULID) { state.withLock { _ = $0.reserved.remove(id) } }

    /// Takes a video in, before its task begins; false where it is in already.
    func insert(_ job: VideoJob) -> Bool {
        let channel = EventChannel()
        return state.withLock { state in
            state.reserved.remove(job.id)
            guard state.entries[job.id] == nil else { return false }
            state.entries[job.id] = Entry(job: job, channel: channel)
            return true
        }
    }

    /// Notes the task of a video, which is cancelled where nobody wants the video any more.
    func run(_ id: ULID, _ task: Task<Void, Never>) {
        let isWanted = state.withLock { state in
            // One that has ended already needs no task.
            if state.entries[id]?.job.state.isFinished == false { state.entries[id]?.task = task }
            return !state.isStopped && state.entries[id] != nil
        }
        if !isWanted { task.cancel() }
    }

    /// - Returns: the video as it is now; nil where it was removed.
    @discardableResult func update(_ id: ULID, _ change: (inout VideoJob) -> Void) -> VideoJob? {
        state.withLock { state in
            guard var entry = state.entries[id] else { return nil }
            change(&entry.job)
            state.entries[id] = entry
            return entry.job
        }
    }

    /// Notes the end of a video; its events stay for a while.
    ///
    /// - Returns: its events; nil where it was removed.
    func end(_ id: ULID) -> EventChannel? {
        state.withLock { state in
            guard let entry = state.entries[id] else { return nil }
            state.entries[id]?.task = nil
            state.recent.append(id)
            if state.recent.count > Self.maximumRecent { state.entries[state.recent.removeFirst()] = nil }
            return entry.channel
        }
    }

    /// Forgets a video and stops the work on it.
    ///
    /// - Returns: what was known of it; nil where nothing was.
    func remove(_ id: ULID) -> (job: VideoJob, channel: EventChannel)? {
        let entry = state.withLock { state in
            state.recent.removeAll { $0 == id }
            return state.entries.removeValue(forKey: id)
        }
        entry?.task?.cancel()
        return entry.map { ($0.job, $0.channel) }
    }

    /// Stops all work, and takes no more.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        for channel in state.withLock({ $0.entries.values.map(\.channel) }) { channel.finish() }
    }
}
