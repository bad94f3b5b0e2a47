package import Base
package import Logging

/// Work that survives the end of the process, some jobs at a time, in the order in which they came.
///
/// ```
///             add                 turn              update
/// (nothing) ───────▶ waiting ───────────▶ stages … ─────────▶ done
///                      │  ▲                  │  │ error
///                      │  └── end of the ────┘  └───────────▶ failed
///                      │      process
///                      └───── cancel ───────────────────────▶ cancelled
/// ```
///
/// A job that is over never leaves its state. Each state is in the row before anybody is told of it. Where several processes
/// share the rows, a job belongs to the one that has claimed it; the others follow its row. A service supplies the work.
package protocol JobService: AnyObject, Sendable {
    associatedtype Record: JobRecord

    var table: JobTable<Record> { get }
    var history: HistoryStore { get }
    var logger: Logger { get }
    /// Files that go with a job from process to process.
    var files: JobFiles { get }
    /// What the processes that share the rows tell each other after a change; nil: they look for themselves.
    var notice: HistoryChange? { get }

    /// Whether this process can do a job.
    func canRun(_ record: Record) async throws -> Bool
    /// Does the work. It changes the record by `update(_:_:)` and `note(_:_:)`, at last to `done`.
    ///
    /// - Throws: ``JobIsElsewhere`` before the first change where another process works on the files.
    func run(_ record: Record) async throws
    /// Changes a record to `failed`, or to `cancelled` for a `CancellationError`.
    func end(_ record: inout Record, _ error: any Error)
    /// Takes back what an interrupted attempt counted for.
    func handOver(_ record: inout Record)
    /// A record is another one now, here or at another process. `earlier` is nil for one that was not known.
    func changed(_ record: Record, from earlier: Record?)
    /// A job is over that was here: whatever only the work needed may go.
    func ended(_ record: Record) async
    /// A job was removed, here or at another process. `record` is nil for one that was not in memory.
    func removed(_ id: ULID, _ record: Record?, wasHere: Bool) async
    /// Comes before a look at the rows of other processes, and before the end of a followed job is told.
    func willLookAround() async throws
    /// Removes what nobody needs, once a minute.
    func tidy() async throws
}

extension JobService {
    package var notice: HistoryChange? { nil }
    package func handOver(_ record: inout Record) {}
    package func ended(_ record: Record) async {}
    package func willLookAround() async throws {}
    package func tidy() async throws {}
}

/// Another process works on the files of a job. The job gets another turn later.
package struct JobIsElsewhere: Error {
    package init() {}
}

// MARK: - Coming and going

extension JobService {
    /// Keeps a job and has it run when it is its turn.
    package func add(_ record: Record) async throws {
        // Before others see it.
        _ = try await claim(record.id)
        try await history.scans.saveJob(try record.row())
        start(record)
        keepUp()
        changed(record, from: nil)
        await notifyOthers()
    }

    /// nil where there is none.
    package func job(_ id: ULID) async throws -> Record? {
        if let record = table.record(id) { return record }
        return try await history.scans.job(Record.kind, id: id).flatMap(Record.init)
    }

    /// Cancels a job that is not over. One that has ended elsewhere in this moment stays as it is.
    package func cancel(_ id: ULID) async throws {
        let wasHere = table.isHere(id)
        await table.lose(id)?.value
        do {
            let cancelled: Record? = try await table.saving.run {
                guard var record = table.record(id), !record.state.isOver else { return nil }
                end(&record, CancellationError())
                let over = Record.State.allCases.filter(\.isOver).map(\.rawValue)
                guard try await history.scans.updateJob(try record.row(), unless: over) else { return nil }
                put(record)
                return record
            }
            guard let cancelled else { return try await look(at: id) }
            await release(id)
            await ended(cancelled)
            await notifyOthers()
        } catch {
            if wasHere, let record = table.record(id) { start(record) }
            throw error
        }
    }

    /// Stops the work on a job at once and removes all that is kept of it. False where there is none.
    package func remove(_ id: ULID) async throws -> Bool {
        let wasHere = table.isHere(id)
        table.lose(id)
        let wasThere: Bool
        do {
            wasThere = try await history.scans.removeJob(Record.kind, id: id)
        } catch {
            if wasHere, let record = table.record(id) { start(record) }
            throw error
        }
        let known = table.remove(id).record
        await release(id)
        await removed(id, known, wasHere: wasHere)
        try await files.remove(id)
        await notifyOthers()
        return wasThere || known != nil
    }

    // MARK: Changes

    /// Changes a record in memory.
    ///
    /// - Returns: the record; nil where the job was removed.
    @discardableResult package func note(_ id: ULID, _ change: (inout Record) -> Void) -> Record? {
        guard let (before, after) = table.change(id, { if !$0.state.isOver { change(&$0) } }) else { return nil }
        changed(after, from: before)
        return after
    }

    /// Changes a record and its row.
    ///
    /// - Throws: `CancellationError` where the job was removed or cancelled, be it by another process; `HistoryError`.
    @discardableResult package func update(
        _ id: ULID, _ change: (inout Record) -> Void
    ) async throws -> Record {
        let saved: Record? = try await table.saving.run {
            guard var record = table.record(id), record.state != .cancelled else { return nil }
            change(&record)
            let isKept = try await history.scans.updateJob(
                try record.row(), unless: [Record.State.cancelled.rawValue])
            guard isKept else { return nil }
            table.noteStored(id, record.progressMark)
            put(record)
            return record
        }
        guard let saved else {
            try await look(at: id)
            throw CancellationError()
        }
        await notifyOthers()
        return saved
    }

    private func put(_ record: Record) {
        guard let (before, after) = table.change(record.id, { $0 = record }) else { return }
        changed(after, from: before)
    }

    func notifyOthers() async {
        if let notice { await history.notify(notice) }
    }

    // MARK: Work

    func start(_ record: Record) {
        guard table.start(record) else { return }
        startNext()
    }

    func startNext() {
        table.startNext { record in Task { await self.attempt(record) } }
    }

    private func attempt(_ record: Record) async {
        let id = record.id
        var rests = false
        do {
            if try await begins(id) { try await run(table.record(id) ?? record) }
        } catch is JobIsElsewhere {
            rests = true
        } catch {
            // A task is cancelled by whoever knows what becomes of the job.
            if !Task.isCancelled { await fail(id, error) }
        }
        if let record = table.record(id), record.state.isOver {
            await release(id)
            await ended(record)
        }
        table.finish(id, rests: rests)
        if rests { rest(id) }
        startNext()
    }

    private func rest(_ id: ULID) {
        Task {
            try? await Task.sleep(for: .seconds(2))
            // The other process may have ended it.
            try? await look(at: id)
            table.endRest(id)
            startNext()
        }
    }

    private func fail(_ id: ULID, _ error: any Error) async {
        guard var record = table.record(id), !record.state.isOver else { return }
        logger.warning("A job failed", metadata: [Record.kind: "\(id)", "error": "\(error)"])
        do {
            try await update(id) { end(&$0, error) }
        } catch is CancellationError {
        } catch let failure {
            logger.error("The end of a job cannot be kept", metadata: [Record.kind: "\(id)", "error": "\(failure)"])
            // On a disk that is full the end is kept in memory at least.
            end(&record, error)
            put(record)
        }
    }
}
