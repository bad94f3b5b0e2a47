import Base
import Storage

/// Takes in new videos.
extension VideoJobs {
    /// The bytes that are reserved at a time if the length is not known.
    private static let step = 8 << 20

    /// Whether another video may come now.
    package var hasRoom: Bool { table.hasRoom }

    /// Receives a video, and has it analysed when it is its turn.
    ///
    /// - Parameters:
    ///   - length: the number of its bytes, or some more, if that is known.
    ///   - receive: passes the bytes on, in their order.
    /// - Throws: `VideoJobError`, `VideoError`, `HistoryError`.
    package func add(
        _ parameters: VideoJob.Parameters, length: Int?,
        receive: (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> VideoJob {
        let id = ULID.next()
        guard table.reserve(id) else { throw VideoJobError.tooManyWaiting }
        defer {
            table.giveBack(id)
            reserved.release(.max, of: id)
        }
        do {
            let (bytes, lock) = try await store(id, length, receive)
            defer { withExtendedLifetime(lock) {} }
            guard let source = folder.open(.source, id) else { throw VideoError.system("its file is gone") }
            let info = try await probing.run {
                try await VideoReader.probe(source.descriptor, limits: options.limits, program: options.program)
            }
            try await makeRoom(for: id, shared: bytes)
            let job = VideoJob(id: id, parameters: parameters, info: info, bytes: bytes, keeper: history.folder)
            try await share(.source, id)
            try await add(job)
            return job
        } catch {
            folder.remove(id)
            countCrash(error)
            throw error
        }
    }

    /// - Returns: the size of the video in bytes, which stay reserved, and the lock of its folder.
    private func store(
        _ id: ULID, _ length: Int?, _ receive: (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> (bytes: Int, lock: OpenedFile?) {
        let (folder, limit) = (folder, options.maximumBytes)
        var room = length ?? min(limit, Self.step)
        try await reserve(room, for: id)
        let (file, lock) = try await disk.perform { (try folder.begin(.source, id), folder.lock(id)) }
        var count = 0
        try await receive { bytes in
            guard count + bytes.count <= limit else { throw VideoJobError.tooLarge(limit: limit) }
            if count + bytes.count > room {
                try await reserve(Self.step, for: id)
                room += Self.step
            }
            let position = count
            try await disk.perform { try file.write(bytes, at: position) }
            count += bytes.count
        }
        guard count > 0 else { throw VideoError.empty }
        try await disk.perform { try folder.finish(.source, id) }
        return (count, lock)
    }
}
