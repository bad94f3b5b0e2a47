package import Foundation

package enum PhotoFolder {
    private static let endings: Set = ["jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "bmp", "heic", "avif"]

    /// At most `limit` photos, evenly spread over the sorted paths. They are the same every time.
    ///
    /// - Returns: an empty list if the folder is missing or has no photos.
    package static func files(in folder: URL, limit: Int) -> [URL] {
        guard let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        let files = found.compactMap { $0 as? URL }.filter { endings.contains($0.pathExtension.lowercased()) }
            .sorted { $0.path < $1.path }
        guard files.count > limit else { return files }
        return (0..<limit).map { files[$0 * files.count / limit] }
    }
}
