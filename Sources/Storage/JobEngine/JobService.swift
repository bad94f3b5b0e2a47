package import Base
package import Logging

/// Work that survives the end of the process. A limited number of jobs run at a time, in the order of their arrival.
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
/// A job that loses the database waits for another turn. A job that is over never changes its state. Each state is
/// written to the row before anybody learns of it. If several processes share the rows, one of them claims a job and
/// does it, and the others follow the row. A service supplies the work.
package protocol JobService: AnyObject, Sendable {
    associatedtype Record: JobRecord

    var table: JobTable<Record> { get }
    var history: HistoryStore { get }
    var logger: Logger { get }
    var files: JobFiles { get }
    /// The notice that a process sends to the others after a change of a row. Nil if they read the rows regularly.
    var notice: HistoryChange? { get }

    /// Whether this process can do a job.
    func canRun(_ record: Record) async throws -> Bool
    /// Does the work. It changes the record through `update(_:_:)` and `note(_:_:)`, and finally to `done`.
    ///
    /// - Throws: ``JobIsElsewhere``, before the first change, if another process still works on the files.
    func run(_ record: Record) async throws
    /// Changes a record to `failed`, or to `cancelled` for a `CancellationError`.
    func end(_ record: inout Record, _ error: any Error)
    /// Undoes the effects of an interrupted attempt on the service's counts.
    func handOver(_ record: inout Record)
    /// Called after a record changed in this or another process. `earlier` is nil for a new record.
    func changed(_ record: Record, from earlier: Record?)
    /// Called after a job of this process is over. The service may remove the files that only the work needed.
    func ended(_ record: Record) async
    /// Called after a job was removed in this or another process. `record` is nil for a job that was not in memory.
    func removed(_ id: ULID, _ record: Record?, wasHere: Bool) async
    /// Called before the rows of other processes are read, and before the end of a followed job is reported.
    func willLookAround() async throws
    /// Removes unneeded files. Called once a minute.
    func tidy() async throws
}

extension JobService {
    package var notice: HistoryChange? { nil }
    package func handOver(_ record: inout Record) {}
    package func ended(_ record: Record) async {}
    package func willLookAround() async throws {}
    package func tidy() async throws {}
}

/// Another process still works on the files of a job. The job gets another turn later.
package struct JobIsElsewhere: Error {
    package init() {}
}

// MARK: - Coming and going

extension JobService {
    /// Stores a job and runs it when its turn comes.
    package func add(_ record: Record) async throws {
        // The claim comes before the row, so that no other process takes the job.
        _ = try await claim(record.id)
        try await history.scans.saveJob(try record.row())
        start(record)
        keepUp()
        changed(record, from: nil)
        await notifyOthers()
    }

    /// The record of a job. Nil if there is no such job.
    package func job(_ id: ULID) async throws -> Record? {
        if let record = table.record(id) { return record }
        return try await history.scans.job(Record.kind, id: id).flatMap(Record.init)
    }

    /// Cancels a job that is not over. A job that has just ended in another process keeps its state.
    package func cancel(_ id: ULID) async throws {
        let wasHere = table.isHere(id)
        await table.lose(id)?.value
        do {
            let cancelled: Record? = try await table.saving.run {
                guard var record = table.record(id), !record.state.isOver else { return nil }
                end(&record, CancellationError())
                guard try await history.scans.updateJob(try record.row(), unless: Record.State.over) else { return nil }
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

    /// Stops the work on a job at once, and removes its row and files.
    ///
    /// - Returns: whether there was such a job.
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
    /// - Returns: the changed record. Nil if the job was removed.
    @discardableResult package func note(_ id: ULID, _ change: (inout Record) -> Void) -> Record? {
        guard let (before, after) = table.change(id, { if !$0.state.isOver { change(&$0) } }) else { return nil }
        changed(after, from: before)
        return after
    }

    /// Changes a record and its row.
    ///
    /// - Throws: `CancellationError` if this or another process removed or cancelled the job; `HistoryError`.
    @discardableResult package func update(_ id: ULID, _ change: (inout Record) -> Void) async throws -> Record {
        let saved: Record? = try await table.saving.run {
            guard var record = table.record(id), record.state != .cancelled else { return nil }
            change(&record)
            let isKept = try await history.scans.updateJob(try record.row(), unless: [Record.State.cancelled.rawValue])
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
            // The code that cancelled the task decides the state of the job.
            if !Task.isCancelled {
                rests = awaitsStore(id, after: error)
                if !rests { await fail(id, error) }
            }
        }
        if let record = table.record(id), record.state.isOver {
            await release(id)
            await ended(record)
        }
        table.finish(id, rests: rests)
        if rests { rest(id) }
        startNext()
    }

    /// Whether a job begins again later, because the store went away. A job during which that happens often fails: it
    /// may be the cause.
    private func awaitsStore(_ id: ULID, after error: any Error) -> Bool {
        guard let error = error as? HistoryError, error.mayPass, let record = table.record(id) else { return false }
        guard record.state == .waiting || table.countInterruption(id) <= 3 else { return false }
        logger.warning("A job waits for the history", metadata: [Record.kind: "\(id)", "error": "\(error)"])
        note(id) { record in
            guard record.state != .waiting else { return }
            record.state = .waiting
            handOver(&record)
        }
        return true
    }

    private func rest(_ id: ULID) {
        Task {
            try? await Task.sleep(for: .seconds(2))
            // Another process may have ended the job. The row may also have the end that could not be confirmed here.
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
            // If the disk is full, the end of the job is at least kept in memory.
            end(&record, error)
            put(record)
        }
    }
}
