package import Base
import Logging

/// The start and the end of a service, and the work that replicas share. The replica that has claimed a job does it,
/// and renews the claim as long as it lives. The first replica that asks for a job without a claim gets it.
extension JobService {
    /// The seconds after which a claim ends unless it is renewed. Another replica then takes the job over.
    private var claimSeconds: Int { 30 }

    /// Resumes the jobs of an earlier process, and follows the jobs of other replicas from now on.
    package func begin() async {
        await lookAround()
        keepUp()
    }

    /// Stops all work. Unfinished jobs continue at another replica, or after the next start.
    package func stopJobs() async {
        await table.stop()
        guard history.claims != nil else { return }
        for var record in table.unfinished {
            do {
                guard try await claim(record.id) else { continue }
                record.state = .waiting
                // The service was stopped, which is no failure.
                handOver(&record)
                _ = try await history.scans.updateJob(try record.row(), unless: Record.State.over)
            } catch {
                // The claims end by themselves. For each further job the stop would wait for the database again.
                return logger.warning(
                    "Jobs are not handed over", metadata: [Record.kind: "\(record.id)", "error": "\(error)"])
            }
            await release(record.id)
        }
        await notifyOthers()
    }

    /// Without shared rows there are no changes of other replicas to read.
    func keepUp() {
        guard history.claims != nil else { return }
        table.keepUp {
            Task { [weak self] in
                var second = 0
                while (try? await Task.sleep(for: .seconds(1))) != nil, let self {
                    second += 1
                    await self.exchangeProgress()
                    if second.isMultiple(of: 10) { await self.lookAround() }
                    if second.isMultiple(of: 60) { await self.tidyUp() }
                }
            }
        }
    }

    // MARK: Progress

    /// Follows a job of another replica. The service gets its progress through `changed(_:from:)`.
    package func follow(_ record: Record) {
        adopt(record, adds: true)
        keepUp()
    }

    private func exchangeProgress() async {
        for id in table.unstored {
            // The next attempt follows in a second.
            let isKept = try? await table.saving.run { () -> Bool in
                guard let record = table.record(id), !record.state.isOver else { return true }
                let isKept = try await history.scans.updateJob(try record.row(), unless: Record.State.over)
                if isKept { table.noteStored(id, record.progressMark) }
                return isKept
            }
            if isKept == false { try? await look(at: id) }
        }
        // If the database is unreachable, the next attempt follows in a second.
        for id in table.followed { try? await look(at: id) }
    }

    // MARK: Looking around

    /// Reads the changes of other replicas, and takes over the jobs without a claim. If the rows are not shared, it
    /// resumes all unfinished jobs.
    package func lookAround() async {
        do {
            try await table.looking.run {
                try await holdClaims()
                try await willLookAround()
                // These records are read before the rows, so each of them has a row unless its job was removed.
                let known = table.records
                let rows = try await history.scans.allJobs(Record.kind)
                for record in rows.reversed().compactMap({ Record($0) }) {
                    if table.isHere(record.id) {
                        if record.state == .cancelled { try await look(at: record.id) }
                        continue
                    }
                    adopt(record, adds: table.holdsAll)
                    if !record.state.isOver { await takeOver(record) }
                }
                let ids = Set(rows.map(\.id))
                for record in known where !ids.contains(record.id) { try await look(at: record.id) }
            }
        } catch is CancellationError {
        } catch HistoryError.cancelled {
        } catch is AsyncTurns.Full {
        } catch {
            logger.warning("The jobs of before cannot be read", metadata: ["error": "\(error)"])
        }
    }

    private func holdClaims() async throws {
        for record in table.unfinished where try await !claim(record.id) {
            // This replica was unreachable for too long, and another one has claimed the job.
            table.lose(record.id)
        }
    }

    private func takeOver(_ record: Record) async {
        let id = record.id
        do {
            guard try await canRun(record) else { return }
            if history.claims != nil {
                guard table.reserve(id) else { return }
            }
            defer { table.giveBack(id) }
            guard try await claim(id) else { return }
            // The job may have ended since it was listed.
            guard let latest = try await history.scans.job(Record.kind, id: id).flatMap(Record.init),
                !latest.state.isOver
            else { return await release(id) }
            start(latest)
        } catch {
            await release(id)
            logger.warning("A job cannot be taken over", metadata: [Record.kind: "\(id)", "error": "\(error)"])
        }
    }

    /// Updates a job in memory from its row.
    func look(at id: ULID) async throws {
        guard let row = try await history.scans.job(Record.kind, id: id) else {
            let (record, wasHere) = table.remove(id)
            guard let record else { return }
            await release(id)
            return await removed(id, record, wasHere: wasHere)
        }
        guard let record = Record(row) else { return }
        if table.isHere(id) {
            guard record.state.isOver else { return }
            adopt(record, adds: false)
            // A task reports the end of its job itself.
            guard table.lose(id) == nil else { return }
            await release(id)
            await ended(record)
        } else {
            if record.state.isOver { try await willLookAround() }
            adopt(record, adds: false)
        }
    }

    private func adopt(_ record: Record, adds: Bool) {
        let (isIn, before) = table.adopt(record, adds: adds)
        if isIn { changed(record, from: before) }
    }

    private func tidyUp() async {
        do {
            try await files.removeLeftovers { id in
                if self.table.record(id) != nil { return true }
                return try await self.history.scans.job(Record.kind, id: id) != nil
            }
            try await tidy()
        } catch {
            logger.warning("Leftovers of jobs cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Removes the local folders that no job needs.
    ///
    /// - Parameters:
    ///   - ids: the ids of the jobs that have folders.
    ///   - afterEnd: whether a job that is over needs its folder no longer.
    ///   - mayGo: whether a folder without a job is removed. Its job may still be received.
    package func removeFolders(
        of ids: [ULID], afterEnd: Bool, where mayGo: (ULID) -> Bool, _ remove: (ULID) async throws -> Void
    ) async {
        for id in ids {
            do {
                if let record = table.record(id) {
                    guard afterEnd, record.state.isOver else { continue }
                } else {
                    guard mayGo(id), try await history.scans.job(Record.kind, id: id) == nil else { continue }
                }
                try await remove(id)
            } catch {
                logger.warning("Files of a job are not removed", metadata: [Record.kind: "\(id)", "error": "\(error)"])
            }
        }
    }

    // MARK: Claims

    /// Whether this replica may begin a job whose turn has come.
    func begins(_ id: ULID) async throws -> Bool {
        guard history.claims != nil else { return true }
        guard try await claim(id) else {
            table.lose(id)
            return false
        }
        try await look(at: id)
        return table.isHere(id)
    }

    /// - Returns: true if the rows are not shared.
    func claim(_ id: ULID) async throws -> Bool {
        try await history.claims?.claim(id, for: claimSeconds) ?? true
    }

    /// Gives a claim back. If that fails, the claim ends by itself.
    func release(_ id: ULID) async { try? await history.claims?.release(id) }
}
