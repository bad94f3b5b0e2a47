import Base
import Foundation

extension PhotoSource {
    private static let pool = BlockingPool(label: "menagerie.training.photos", width: 4, maximumPending: .max)

    /// Photos in a local folder, with one folder for each class. Links are not followed, because they may lead
    /// anywhere.
    ///
    /// - Throws: ``TrainingError/folder(_:)`` if the folder does not exist, or another one if it exceeds a limit.
    package init(folder root: String, limits: TrainingLimits) throws(TrainingError) {
        guard FileSystem.isDirectory(root) else { throw .folder("There is no folder \(root).") }
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey]
        let base = URL(filePath: root).standardizedFileURL.path
        var unreadable: [String] = []
        let files = FileManager.default.enumerator(
            at: URL(filePath: root), includingPropertiesForKeys: Array(keys), options: [.skipsHiddenFiles]
        ) { folder, _ in
            unreadable.append(String(folder.standardizedFileURL.path.dropFirst(base.count + 1)))
            return true
        }
        var found: [(path: String, size: Int)] = []
        while let file = files?.nextObject() as? URL {
            guard let values = try? file.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
            let path = file.standardizedFileURL.path
            guard path.hasPrefix(base + "/") else { continue }
            found.append((String(path.dropFirst(base.count + 1)), values.fileSize ?? 0))
            guard found.count <= limits.photos * 2 else { throw .tooManyPhotos(found.count, limit: limits.photos) }
        }
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, file) in found.sorted(by: { $0.path < $1.path }).enumerated() {
            try catalogue.add(path: file.path, size: file.size, place: place)
        }
        for folder in unreadable.sorted() { catalogue.skip(folder, .unreadable) }
        self.init(catalogue: catalogue) { try await Self.load("\(root)/\($0.path)", limit: limits.photoBytes) }
    }

    /// The photos of a list, such as a CSV file.
    ///
    /// - Throws: ``TrainingError`` if the list exceeds a limit.
    package init(_ list: PhotoList, limits: TrainingLimits) throws(TrainingError) {
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, photo) in list.photos.enumerated() {
            let values = try? list.url(of: photo).resourceValues(forKeys: [.fileSizeKey])
            try catalogue.add(path: photo.path, label: photo.label, size: values?.fileSize ?? 0, place: place)
        }
        self.init(catalogue: catalogue) {
            try await Self.load(list.url(of: list.photos[$0.place]).path, limit: limits.photoBytes)
        }
    }

    /// Reads a photo off the cooperative pool. A file that is too large is not read.
    private static func load(_ path: String, limit: Int) async throws(SkipReason) -> [UInt8] {
        try await pool.run(whenFull: { _ in SkipReason.unreadable }) { () throws(SkipReason) in
            do throws(FileError) {
                if let bytes = try FileSystem.load(path, limit: limit) { return bytes }
            } catch {
                if case .tooLarge(_, let bytes, _) = error { throw .tooLarge(bytes: bytes, limit: limit) }
            }
            throw .unreadable
        }
    }
}
