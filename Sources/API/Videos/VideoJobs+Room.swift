import Base
import HTTP
import History
import Jobs
import Logging

/// The bound of the disk. What comes finds room beside the old videos; these go only once it is whole and accepted. So while
/// videos come, the disk may hold twice the bytes that it keeps.
extension VideoJobs {
    /// Promises so many bytes to a file of a video that is on its way; whoever asked takes them back from ``promised``.
    ///
    /// - Throws: `ProblemDetails` (507), and nothing is promised, where they would not fit even if all that may go had gone.
    func promise(_ bytes: Int, to id: ULID) async throws {
        // Before any look at the disk: of several at once each sees the others.
        guard promised.add(bytes, to: id) else { throw noRoom(for: bytes) }
        do {
            let coming = promised.ids
            let (staying, written) = try await bytesOfUnfinished(coming)
            let total = promised.total
            guard staying + total <= options.keptBytes, folder.hasRoom(for: max(0, total - written)) else {
                throw noRoom(for: bytes)
            }
        } catch {
            promised.take(bytes, from: id)
            throw error
        }
    }

    /// Removes the oldest finished videos that nobody reads until a file that is whole has its place among those kept.
    ///
    /// - Parameters:
    ///   - bytes: of the file, where all replicas will have it; 0 for one that stays here.
    ///   - partial: of one that has no name of its own yet.
    /// - Throws: `ProblemDetails` (507) where there is no room even so.
    func makeRoom(for id: ULID, shared bytes: Int = 0, partial: Int = 0) async throws {
        try await accepting.run {
            try await trimCopies(except: id)
            while true {
                let used = try await usedBytes(shared: bytes, partial: partial)
                if used <= options.keptBytes { return }
                guard try await removeOldest(except: id) else { throw noRoom(for: max(bytes, partial)) }
            }
        }
    }

    private func noRoom(for bytes: Int) -> ProblemDetails {
        .storageFull(
            "There is no room for a video of \(bytes) bytes: videos may take \(options.keptBytes) bytes "
                + "(video.keep_bytes), and the disk must hold a new one beside those that are there. Delete some, or "
                + "wait until others have come.")
    }

    /// The bytes that the videos of all replicas take, with those that are about to.
    private func usedBytes(shared: Int, partial: Int) async throws -> Int {
        guard let bytes = try await files.bytes else { return try await bytesHere + partial }
        return bytes + shared
    }

    /// The bytes here, without those of files on their way.
    private var bytesHere: Int {
        get async throws {
            let (folder, coming) = (folder, promised.ids)
            return try await blocking {
                folder.ids.reduce(0) { $0 + folder.bytes(of: $1, withPartial: !coming.contains($1)) }
            }
        }
    }

    /// The bytes here of videos that are not done, and those that were written of files on their way.
    private func bytesOfUnfinished(_ coming: Set<ULID>) async throws -> (staying: Int, written: Int) {
        let (folder, unfinished) = (folder, Set(table.unfinished.map(\.id)))
        return try await blocking {
            var (staying, written) = (0, 0)
            for id in unfinished.union(coming) {
                let whole = folder.bytes(of: id, withPartial: false)
                // A source without a job is the very file that is on its way.
                if unfinished.contains(id) { staying += whole } else { written += whole }
                if coming.contains(id) { written += folder.bytes(of: id) - whole }
            }
            return (staying, written)
        }
    }

    /// Removes files of finished videos that are in the database as well, the oldest first, until there is room here.
    private func trimCopies(except kept: ULID) async throws {
        guard history.files != nil else { return }
        let folder = folder
        for id in folder.ids where id != kept {
            guard try await bytesHere > options.keptBytes else { return }
            guard table.record(id)?.state.isOver != false, folder.exists(.source, id),
                try await files.holds(VideoFolder.File.source.rawValue, of: id)
            else { continue }
            try await blocking {
                guard let held = folder.holdUnread(id) else { return }
                withExtendedLifetime(held) { folder.remove(id) }
            }
        }
    }

    /// False where there is none that may go.
    private func removeOldest(except kept: ULID) async throws -> Bool {
        let folder = folder
        for id in try await finished() where id != kept {
            // Nobody begins to read it while it goes.
            guard let held = try await blocking({ folder.holdUnread(id) }) else { continue }
            let isRemoved = try await remove(id)
            withExtendedLifetime(held) {}
            guard isRemoved else { continue }
            logger.notice("An old video made room", metadata: ["video": "\(id)"])
            return true
        }
        return false
    }

    /// The videos that are done, the oldest first.
    private func finished() async throws -> [ULID] {
        try await history.scans.allJobs(VideoJob.kind).reversed().compactMap { VideoJob($0) }
            .filter { (table.record($0.id) ?? $0).state.isOver }.map(\.id)
    }
}
