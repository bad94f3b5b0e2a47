import Base
import Foundation
import Recognition

/// Reads the photos of a run from files or an S3 store and has them classified.
struct BulkPhotos: Sendable {
    let recogniser: Recogniser
    /// The number of photos that are read ahead of the lanes, so that a slow store does not hold them up.
    private static let ahead = 32
    /// The number of photos in work at once, on a lane or read.
    let atOnce: Int
    private let files: BlockingPool
    private let store: Result<S3Store, S3Error>

    init(_ recogniser: Recogniser, _ settings: Settings) {
        self.recogniser = recogniser
        let cores = ProcessInfo.processInfo.activeProcessorCount
        atOnce = max(1, min(recogniser.capacity, 2 * cores + Self.ahead))
        files = BlockingPool(label: "menagerie.photos", width: cores, maximumPending: .max)
        store = PhotoPaths.store(photoBytes: settings[Settings.maxBodyBytes], connections: atOnce)
    }

    /// - Parameter path: the path of a file, or the address of an S3 object.
    /// - Returns: a failure that concerns only this photo.
    /// - Throws: ``S3Error`` that would affect all photos.
    func answer(_ path: String) async throws -> Result<Classification, any Error> {
        do {
            return .success(
                try await recogniser.classify(
                    try await bytes(of: path), options: ClassificationOptions(priority: .bulk)))
        } catch let error as S3Error where !error.isOfOnePhoto {
            throw error
        } catch {
            return .failure(error)
        }
    }

    /// Reads a photo from a file or from the store.
    func bytes(of path: String) async throws -> [UInt8] {
        if let object = S3Address(path) { return try await store.get().bytes(of: object) }
        return try await files.run(whenFull: { _ in CancellationError() as any Error }) {
            Array(try Data(ofFile: path))
        }
    }
}

extension Data {
    /// The bytes of a file, or of a pipe that the shell gives as `/dev/stdin` or `/dev/fd/63`.
    init(ofFile path: String) throws(SettingsError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.unreadable(errno) }
        let kind = status.st_mode & S_IFMT
        // A device may never end, and a pipe of another place may never begin.
        guard kind == S_IFREG || kind == S_IFIFO && path.hasPrefix("/dev/") else {
            throw SettingsError("It is no file that can be read.")
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw Self.unreadable(errno) }
        do {
            self = try file.readToEnd() ?? Data()
        } catch {
            throw SettingsError("It cannot be read: \(error.localizedDescription)")
        }
    }

    private static func unreadable(_ code: Int32) -> SettingsError {
        switch code {
        case ENOENT: SettingsError("There is no such file.")
        case EACCES: SettingsError("The permission to read it is missing.")
        default: SettingsError("It cannot be read: \(ProcessError.text(code)).")
        }
    }
}
