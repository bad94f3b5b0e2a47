import Base
import Foundation

/// Photos in a local folder, with one folder for each class. Links are not followed, because they may lead anywhere.
package struct FolderPhotos: PhotoSource {
    private let root: String
    private let limits: TrainingLimits
    private let paths: [(path: String, size: Int)]
    /// The folders that cannot be read.
    private let unreadable: [String]

    /// Lists the folder.
    ///
    /// - Throws: ``TrainingError/folder(_:)`` if it does not exist.
    package init(_ root: String, limits: TrainingLimits) throws(TrainingError) {
        self.root = root
        self.limits = limits
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw .folder("There is no folder \(root).")
        }
        var paths: [(path: String, size: Int)] = []
        let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
        let base = URL(filePath: root).standardizedFileURL.path
        var unreadable: [String] = []
        let files = FileManager.default.enumerator(
            at: URL(filePath: root), includingPropertiesForKeys: keys, options: [.skipsHiddenFiles]
        ) { folder, _ in
            unreadable.append(String(folder.standardizedFileURL.path.dropFirst(base.count + 1)))
            return true
        }
        while let file = files?.nextObject() as? URL {
            guard let values = try? file.resourceValues(forKeys: Set(keys)), values.isRegularFile == true else {
                continue
            }
            let path = file.standardizedFileURL.path
            guard path.hasPrefix(base + "/") else { continue }
            paths.append((String(path.dropFirst(base.count + 1)), values.fileSize ?? 0))
            guard paths.count <= limits.photos * 2 else { throw .tooManyPhotos(paths.count, limit: limits.photos) }
        }
        self.paths = paths.sorted { $0.path < $1.path }
        self.unreadable = unreadable.sorted()
    }

    package func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue {
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, file) in paths.enumerated() {
            try catalogue.add(path: file.path, size: file.size, place: place)
        }
        for folder in unreadable { catalogue.skip(folder, .unreadable) }
        return catalogue
    }

    package func bytes(of photo: TrainingPhoto) async throws -> [UInt8] {
        try await PhotoFile.bytes("\(root)/\(paths[photo.place].path)", limits: limits)
    }
}

/// Reads single photo files off the cooperative pool.
enum PhotoFile {
    private static let pool = BlockingPool(label: "menagerie.training.photos", width: 4, maximumPending: .max)

    /// - Throws: ``SkipReason``. A file that is too large is not read.
    static func bytes(_ path: String, limits: TrainingLimits) async throws(SkipReason) -> [UInt8] {
        let limit = limits.photoBytes
        return try await pool.run(whenFull: { _ in SkipReason.unreadable }) { () throws(SkipReason) in
            do throws(FileError) {
                if let bytes = try FileSystem.load(path, limit: limit) { return bytes }
            } catch {
                if case .tooLarge(_, let bytes, _) = error { throw .tooLarge(bytes: bytes, limit: limit) }
            }
            throw .unreadable
        }
    }
}

/// The photos of a list, such as a CSV file.
package struct ListedPhotos: PhotoSource {
    private let list: PhotoList
    private let limits: TrainingLimits

    package init(_ list: PhotoList, limits: TrainingLimits) {
        self.list = list
        self.limits = limits
    }

    package func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue {
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, photo) in list.photos.enumerated() {
            let values = try? list.url(of: photo).resourceValues(forKeys: [.fileSizeKey])
            try catalogue.add(path: photo.path, label: photo.label, size: values?.fileSize ?? 0, place: place)
        }
        return catalogue
    }

    package func bytes(of photo: TrainingPhoto) async throws -> [UInt8] {
        try await PhotoFile.bytes(list.url(of: list.photos[photo.place]).path, limits: limits)
    }
}
