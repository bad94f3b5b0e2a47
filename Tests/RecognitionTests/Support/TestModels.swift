import Foundation
import Recognition
import TestSupport
import Testing

/// The repository's own weights, and the photos beside it.
enum TestModels {
    static let package = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    static let directory = package + "/Models"
    static let shared = SharedFolder.url.path
    static var photosAreThere: Bool { SharedFolder.isThere }
    static let hint: Comment = "needs the shared photos: set SHARED_FOLDER or put them at ../shared"

    static func manifest() throws -> ModelManifest {
        let data = try Data(contentsOf: URL(filePath: directory + "/menagerie/manifest.json"))
        return try JSONDecoder().decode(ModelManifest.self, from: data)
    }

    static func engine(_ options: EngineOptions) throws -> OpenVINOEngine {
        let manifest = try manifest()
        return try OpenVINOEngine(
            weights: .file(path: "\(directory)/menagerie/\(manifest.file)"), checksums: [manifest.sha256],
            input: manifest.input, outputs: manifest.outputs.keys.sorted(), options: options)
    }

    /// Photos of noise, the same in every run.
    static func noise(_ count: Int, size: Int) -> [[UInt8]] {
        var state: UInt64 = 42
        return (0..<count).map { _ in
            (0..<size).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        }
    }

    struct Photo: Sendable {
        let path: String
        let group: String
        let label: String

        func bytes() throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(filePath: TestModels.shared + "/data/" + path)))
        }
    }

    private static let rows = Result {
        let table = try String(contentsOf: URL(filePath: shared + "/data/photos.csv"), encoding: .utf8)
        return table.split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The first few photos of every class by path, so the same every time.
    static func photos(group: String, classes: Set<String>, perClass: Int) throws -> [Photo] {
        let chosen = try rows.get().filter { $0.count >= 3 && $0[1] == group && classes.contains($0[2]) }
        return Dictionary(grouping: chosen) { $0[2] }.sorted { $0.key < $1.key }.flatMap { _, rows in
            rows.map { $0[0] }.sorted().prefix(perClass).map { Photo(path: $0, group: group, label: rows[0][2]) }
        }
    }
}
