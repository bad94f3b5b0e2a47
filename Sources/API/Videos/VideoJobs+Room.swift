import Base
import HTTP
import History
import Logging

/// The bound of the disk: old videos make room for new ones.
extension VideoJobs {
    /// Removes the oldest finished videos until there is room for so many more bytes.
    ///
    /// - Parameter kept: one that stays, whatever its age.
    /// - Returns: the bytes that there is room for now, at least as many as were asked for.
    /// - Throws: ``Problem`` (507) where there is none even so.
    @discardableResult func makeRoom(for bytes: Int, keeping kept: ULID? = nil) async throws -> Int {
        try await trimCopies(for: bytes)
        while true {
            let used = try await usedBytes
            let left = options.keptBytes - used
            if left >= bytes, folder.hasRoom(for: bytes) { return left }
            // Where all of them would not do none has to go.
            guard bytes <= options.keptBytes, let oldest = try await oldestFinished(except: kept),
                try await remove(oldest)
            else {
                throw Problem(
                    .storageFull(
                        "There is no room for a video of \(bytes) bytes: videos may take \(options.keptBytes) bytes "
                            + "(video.keep_bytes). Delete some."))
            }
            logger.notice("An old video made room", metadata: ["video": "\(oldest)"])
        }
    }

    /// The bytes that the videos of all replicas take.
    private var usedBytes: Int {
        get async throws {
            guard let files = history.files else { return try await bytesHere }
            return try await files.bytes(under: Self.root)
        }
    }

    private var bytesHere: Int {
        get async throws {
            let folder = folder
            return try await blocking { folder.ids.reduce(0) { $0 + folder.bytes(of: $1) } }
        }
    }

    /// Removes files of finished videos that are in the database as well, the oldest first, until there is room here.
    private func trimCopies(for bytes: Int) async throws {
        guard let files = history.files else { return }
        let folder = folder
        for id in folder.ids where try await bytesHere + bytes > options.keptBytes || !folder.hasRoom(for: bytes) {
            guard active.job(id)?.state.isFinished != false, folder.exists(.source, id),
                try await files.holds("\(Self.root)\(id)/\(VideoFolder.File.source.rawValue)")
            else { continue }
            try await blocking { folder.remove(id) }
        }
    }

    private func oldestFinished(except kept: ULID?) async throws -> ULID? {
        if history.files != nil {
            return try await history.scans.allJobs(VideoJob.kind).compactMap(VideoJob.init)
                .last { $0.id != kept && $0.state.isFinished }?.id
        }
        for id in folder.ids where id != kept {
            if try await job(id)?.state.isFinished == true { return id }
        }
        return nil
    }
}
