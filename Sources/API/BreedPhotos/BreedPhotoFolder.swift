import Base
import Foundation
import HTTP

/// A folder with one folder of pictures for each article: `siamese/1.jpg`.
struct BreedPhotoFolder: Sendable {
    private static let extensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif", "avif"]

    private let path: String
    private let files: StaticFiles
    private let readers = BlockingPool(label: "menagerie.breed-photos", width: 2, maximumPending: 256)

    /// - Throws: where there is no such folder.
    init(path: String) throws {
        self.path = path
        files = try StaticFiles(path: path, options: StaticFiles.Options(cacheControl: "public, max-age=300"))
    }

    /// The names of the pictures of an article, sorted; empty where it has none.
    /// - Parameter folder: the id of an article, not what a client wrote.
    /// - Throws: ``Problem`` (503) when too many others wait already.
    func names(in folder: String) async throws -> [String] {
        try await readers.run(whenFull: { _ in Problem(.overloaded(retryAfterSeconds: 1)) }) { () throws(Problem) in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
            return names.filter(Self.isPicture).sorted()
        }
    }

    /// The picture itself; 404 for whatever lies outside the folder, is hidden, or is a link.
    func response(to request: Request, folder: String, name: String) -> Response {
        guard Self.isPicture(name), !name.contains("/") else { return .problem(.notFound("photo", id: name)) }
        return files.response(to: request, path: "\(folder)/\(name)")
    }

    private static func isPicture(_ name: String) -> Bool {
        !name.hasPrefix(".") && name.split(separator: ".").last.map { extensions.contains($0.lowercased()) } == true
            && name.contains(".")
    }
}
