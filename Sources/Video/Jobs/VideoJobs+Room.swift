import Base
import Logging
import Storage

/// The limit on disk space. An upload is stored beside the old videos, which are removed only once it is complete and
/// accepted. So the disk needs up to twice the configured space during uploads.
extension VideoJobs {
    /// Reserves bytes for a file that is being written. The caller has to release them from ``reserved``.
    ///
    /// - Throws: `VideoJobError/noRoom` if they would not fit even without all removable videos. Nothing is reserved
    ///   then.
    func reserve(_ bytes: Int, for id: ULID) async throws {
        // The reservation comes before the disk is examined, so that concurrent uploads see each other.
        guard reserved.reserve(bytes, for: id) else { throw noRoom(for: bytes) }
        do {
            let coming = reserved.ids
            let (staying, written) = try await bytesOfUnfinished(coming)
            let total = reserved.total
            guard staying + total <= options.keptBytes, folder.hasRoom(for: max(0, total - written)) else {
                throw noRoom(for: bytes)
            }
        } catch {
            reserved.release(bytes, of: id)
            throw error
        }
    }

    /// Removes the oldest finished videos that nobody reads, until there is room for a complete file.
    ///
    /// - Parameters:
    ///   - bytes: the size of a file that all processes will have; 0 for a local file.
    ///   - partial: the size of a local file that has no final name yet.
    /// - Throws: `VideoJobError/noRoom` if there is none even then.
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

    private func noRoom(for bytes: Int) -> VideoJobError { .noRoom(bytes: bytes, limit: options.keptBytes) }

    /// The bytes of the videos of all processes, with those of the new file.
    private func usedBytes(shared: Int, partial: Int) async throws -> Int {
        guard let bytes = try await files.bytes else { return try await bytesHere + partial }
        return bytes + shared
    }

    /// The local bytes, without those of files that are being written.
    private var bytesHere: Int {
        get async throws {
            let (folder, coming) = (folder, reserved.ids)
            return try await disk.perform {
                folder.ids.reduce(0) { $0 + folder.bytes(of: $1, withPartial: !coming.contains($1)) }
            }
        }
    }

    /// The local bytes of unfinished videos, and those already written of new files.
    private func bytesOfUnfinished(_ coming: Set<ULID>) async throws -> (staying: Int, written: Int) {
        let (folder, unfinished) = (folder, Set(table.unfinished.map(\.id)))
        return try await disk.perform {
            var (staying, written) = (0, 0)
            for id in unfinished.union(coming) {
                let whole = folder.bytes(of: id, withPartial: false)
                // A source without a job is a new file itself.
                if unfinished.contains(id) { staying += whole } else { written += whole }
                if coming.contains(id) { written += folder.bytes(of: id) - whole }
            }
            return (staying, written)
        }
    }

    /// Removes local copies of finished videos whose files are in the database too, oldest first, until there is room.
    private func trimCopies(except kept: ULID) async throws {
        guard history.files != nil else { return }
        let folder = folder
        for id in folder.ids where id != kept {
            guard try await bytesHere > options.keptBytes else { return }
            guard table.record(id)?.state.isOver != false, folder.exists(.source, id),
                try await files.holds(VideoFolder.File.source.rawValue, of: id)
            else { continue }
            try await disk.perform {
                guard let held = folder.holdUnread(id) else { return }
                withExtendedLifetime(held) { folder.remove(id) }
            }
        }
    }

    /// - Returns: false if no video can be removed.
    private func removeOldest(except kept: ULID) async throws -> Bool {
        let folder = folder
        for id in try await finished() where id != kept {
            // Nobody begins to read it while it is removed.
            guard let held = try await disk.perform({ folder.holdUnread(id) }) else { continue }
            let isRemoved = try await remove(id)
            withExtendedLifetime(held) {}
            guard isRemoved else { continue }
            logger.notice("An old video made room", metadata: ["video": "\(id)"])
            return true
        }
        return false
    }

    /// The finished videos, oldest first.
    private func finished() async throws -> [ULID] {
        try await history.scans.allJobs(VideoJob.kind).reversed().compactMap { VideoJob($0) }
            .filter { (table.record($0.id) ?? $0).state.isOver }.map(\.id)
    }
}
