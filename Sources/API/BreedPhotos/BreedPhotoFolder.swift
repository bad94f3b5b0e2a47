import Base
package import Connections
import Foundation
import HTTP

/// A folder with a subfolder of pictures for each article: `siamese/1.jpg`.
struct BreedPhotoFolder: Sendable {
    private static let extensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif", "avif"]

    private let path: String
    private let files: StaticFiles
    private let readers = BlockingPool(label: "menagerie.breed-photos", width: 2, maximumPending: 256)

    /// - Throws: an error if the folder cannot be opened.
    init(path: String) throws {
        self.path = path
        files = try StaticFiles(path: path, cacheControl: "public, max-age=300")
    }

    /// The names of an article's pictures, sorted; empty if it has none.
    /// - Parameter folder: the id of an article, not text from a client.
    /// - Throws: `ProblemDetails` (503) if too many others wait already.
    func names(in folder: String) async throws -> [String] {
        let names = await readers.runIfRoom {
            (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
        }
        guard let names else { throw ProblemDetails.overloaded(retryAfterSeconds: 1) }
        return names.filter(Self.isPicture).sorted()
    }

    /// The picture itself; 404 for a hidden file, a link or a path outside the folder.
    func response(to request: Request, folder: String, name: String) -> Response {
        guard Self.isPicture(name), !name.contains("/") else { return .problem(.notFound("photo", id: name)) }
        return files.response(to: request, path: "\(folder)/\(name)")
    }

    private static func isPicture(_ name: String) -> Bool {
        !name.hasPrefix(".") && name.split(separator: ".").last.map { extensions.contains($0.lowercased()) } == true
            && name.contains(".")
    }
}

/// The sources of a breed's photos.
package struct BreedPhotoOptions: Sendable {
    /// A folder with a subfolder of pictures for each article id; nil for none.
    package var directory: String?
    /// Whether the user's own scans of a breed are among its photos.
    package var includesOwnScans: Bool
    /// The online source; nil if the operator does not allow it.
    package var remote: DogCEO.Options?

    package init(directory: String? = nil, includesOwnScans: Bool = false, remote: DogCEO.Options? = nil) {
        self.directory = directory
        self.includesOwnScans = includesOwnScans
        self.remote = remote
    }
}
