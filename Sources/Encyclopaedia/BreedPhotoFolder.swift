import Base
import Foundation

/// A folder with a subfolder of pictures for each article: `siamese/1.jpg`.
package struct BreedPhotoFolder: Sendable {
    private static let extensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif", "avif"]

    private let path: String
    private let readers = BlockingPool(label: "menagerie.breed-photos", width: 2, maximumPending: 256)

    package init(path: String) {
        self.path = path
    }

    /// The names of an article's pictures, sorted; empty if it has none, and nil if too many others wait already.
    package func names(of article: Article) async -> [String]? {
        let names = await readers.runIfRoom {
            (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(article.id)")) ?? []
        }
        return names?.filter(Self.isPicture).sorted()
    }

    /// Whether a file of that name is a picture of its folder, and not hidden.
    package static func isPicture(_ name: String) -> Bool {
        guard !name.hasPrefix("."), !name.contains("/"), let dot = name.lastIndex(of: ".") else { return false }
        return extensions.contains(name[name.index(after: dot)...].lowercased())
    }
}
