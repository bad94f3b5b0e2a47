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
        let folder = folder
        while true {
            let used = try await blocking { folder.ids.reduce(0) { $0 + folder.bytes(of: $1) } }
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

    private func oldestFinished(except kept: ULID?) async throws -> ULID? {
        for id in folder.ids where id != kept {
            if try await job(id)?.state.isFinished == true { return id }
        }
        return nil
    }
}
