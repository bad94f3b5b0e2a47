internal import Base
internal import Foundation

/// Files of any size, in parts. The list of the parts is written last, so a file is either complete or absent.
extension SharedFiles {
    /// The size of a part, in bytes.
    private static let part = 4 << 20

    private struct Contents: Codable {
        let bytes: Int
        let parts: [ContentDigest]
    }

    private static func list(of path: String) -> String { "\(path)/contents.json" }

    private static func path(_ path: String, part: Int) -> String { "\(path)/\(part)" }

    /// Whether the complete file exists.
    package func holds(_ path: String) async throws(HistoryError) -> Bool {
        try await paths(under: Self.list(of: path)).isEmpty == false
    }

    /// Stores a file. An existing file stays as it is.
    ///
    /// - Parameter read: returns `count` bytes at a position.
    package func store(
        _ path: String, bytes: Int, read: (_ position: Int, _ count: Int) async throws -> [UInt8]
    ) async throws {
        guard try await !holds(path) else { return }
        var parts: [ContentDigest] = []
        for position in stride(from: 0, to: bytes, by: Self.part) {
            let part = try await read(position, min(Self.part, bytes - position))
            try await replace([Self.path(path, part: parts.count): part])
            parts.append(ContentDigest(of: part))
        }
        let contents = Contents(bytes: bytes, parts: parts)
        try await replace([Self.list(of: path): [UInt8](try JSONEncoder().encode(contents))])
    }

    /// Reads a file from its beginning to its end, a part at a time.
    ///
    /// - Parameter write: takes bytes at a position.
    /// - Returns: whether the file exists.
    /// - Throws: ``HistoryError/unavailable(_:)`` if a part is damaged.
    package func load(
        _ path: String, write: (_ bytes: [UInt8], _ position: Int) async throws -> Void
    ) async throws -> Bool {
        guard let list = try await file(Self.list(of: path)) else { return false }
        let contents = try JSONDecoder().decode(Contents.self, from: Data(list))
        for (index, digest) in contents.parts.enumerated() {
            guard let part = try await file(Self.path(path, part: index)), ContentDigest(of: part) == digest else {
                throw HistoryError.unavailable("part \(index) of \(path) is not what was kept")
            }
            try await write(part, index * Self.part)
        }
        return true
    }
}
