import Base
import Foundation
import Logging
import Storage

/// The folders of trainings. Each holds the photos that were sent with a training, until the training is over.
extension TrainingService {
    static let photos = "photos"

    private func folder(_ id: ULID) -> String { "\(configuration.directory)/\(id)" }

    func archive(_ id: ULID, _ kind: PhotoSource.Archive) -> String { "\(folder(id))/photos.\(kind.rawValue)" }

    /// Lets other processes fetch the photos of a training.
    func sharePhotos(of record: TrainingRecord) async throws {
        guard case .archive(let kind) = record.source else { return }
        _ = try await files.share(Self.photos, of: record.id, at: archive(record.id, kind))
    }

    /// Fetches the photos of a training that another process received.
    func bringPhotos(of record: TrainingRecord) async throws {
        guard case .archive(let kind) = record.source else { return }
        _ = try await files.bring(Self.photos, of: record.id, to: archive(record.id, kind))
    }

    func removePhotos(of id: ULID) async {
        do {
            try await removeFolder(id)
            try await files.remove(id)
        } catch {
            logger.warning(
                "Photos of a training are not removed", metadata: ["training": "\(id)", "error": "\(error)"])
        }
    }

    private func removeFolder(_ id: ULID) async throws {
        let path = folder(id)
        try await pool.run { TrainingUpload.remove(path) }
    }

    package func tidy() async throws {
        // A training whose photos are still being received has no row yet.
        await removeFolders(where: JobFiles.isPastReception)
    }

    /// Removes the folders of trainings that are over.
    ///
    /// - Parameter mayGo: whether the folder of an id without a training is removed too.
    func removeFolders(where mayGo: (ULID) -> Bool) async {
        await removeFolders(of: await folders, afterEnd: true, where: mayGo) { id in
            let (folder, old) = (folder(id), oldFile(id))
            // A file that could not become a row stays.
            try await pool.run {
                if FileSystem.attributes(old) == nil { FileSystem.removeUnlockedDirectory(folder) }
            }
        }
    }

    private var folders: [ULID] {
        get async {
            let found = try? await pool.run { [configuration] in
                FileSystem.names(in: configuration.directory).compactMap { ULID($0) }
            }
            // If the pool is full, the next call lists the folders.
            return found ?? []
        }
    }

    // MARK: Earlier releases

    /// The file in which earlier releases kept a training.
    private func oldFile(_ id: ULID) -> String { "\(folder(id))/training.json" }

    /// Makes rows of the files in which earlier releases kept trainings.
    func takeInFiles() async {
        for id in await folders {
            do {
                try await takeInFile(id)
            } catch {
                logger.error(
                    "A training of an earlier release is not taken in and is left alone",
                    metadata: ["file": "\(oldFile(id))", "error": "\(error)"])
            }
        }
    }

    private func takeInFile(_ id: ULID) async throws {
        let path = oldFile(id)
        guard let bytes = try await pool.run({ try FileSystem.load(path, limit: 64 << 20) }) else { return }
        guard var record = TrainingRecord(json: Data(bytes)), record.id == id else {
            // The folder may hold the only copy of its photos.
            throw HistoryError.invalid(field: "training.json", problem: "is damaged")
        }
        if try await history.scans.job(TrainingRecord.kind, id: id) == nil {
            // The file is of a shared training, and its row is gone: another process has removed the training.
            if history.claims != nil, record.keeper != nil { return try await removeFolder(id) }
            record.keeper = history.folder
            if !record.state.isOver { try await sharePhotos(of: record) }
            try await history.scans.saveJob(try record.row())
        }
        try await pool.run { FileSystem.remove(path) }
    }
}
