import Foundation
import TestSupport

/// Films of a still yard for cameras. Each is made once, for all tests that show it.
actor YardFilms {
    static let shared = YardFilms()

    private let folder = Result { try TemporaryFolder() }
    private var films: [String: Task<URL, any Error>] = [:]

    /// - Parameters:
    ///   - kind: the extension of the file's name.
    ///   - end: the last second in which a cat sits in the yard. It comes in the second second. Nil means no cat.
    func film(_ kind: String, catUntil end: Int?, seconds: Int) async throws -> URL {
        let name = "\(end.map { "cat-\($0)" } ?? "yard")-\(seconds).\(kind)"
        let folder = try folder.get().path
        let film =
            films[name]
            ?? Task {
                let file = URL(filePath: folder).appending(path: name)
                try await FilmMaker.render(Self.arguments(catUntil: end, seconds: seconds), to: file)
                return file
            }
        films[name] = film
        return try await film.value
    }

    private static func arguments(catUntil end: Int?, seconds: Int) throws -> [String] {
        let yard = ["-f", "lavfi", "-i", "color=c=0x6a7a5a:s=1280x720:r=5:d=\(seconds)"]
        let photo = try SharedFolder.photos("cat", "maine_coon")[1].path
        // The photo is read and scaled once: `overlay` repeats its only picture.
        let overlay = end.map { end in
            [
                "-i", photo, "-filter_complex",
                "[1:v]scale=520:-2[c];[0:v][c]overlay=380:120:enable='between(t,2,\(end))'",
            ]
        }
        return yard + (overlay ?? []) + ["-pix_fmt", "yuv420p"]
    }
}
