internal import Base
package import Foundation

/// Files that all replicas see, as rows of the database that they share. Each has a path and contents.
package struct SharedFiles: Sendable {
    let database: any SQLDatabase

    /// Opens a separate connection, for callers that need nothing else of a history. Creates missing tables.
    package static func open(connectionString: String) async throws(HistoryError) -> SharedFiles {
        let repository = try await PostgreSQLDatabase.repository(
            connectionString: connectionString, readers: 1, options: RepositoryOptions())
        return SharedFiles(database: repository.database)
    }

    /// The time by the database's clock, in whole seconds.
    package func now() async throws(HistoryError) -> Date {
        let seconds = try await database.read { try $0.integer("SELECT \(JobClaims.now)", []) }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// The paths that begin with the text.
    package func paths(under prefix: String) async throws(HistoryError) -> Set<String> {
        let rows = try await database.rows(
            "SELECT path FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
        return Set(rows.compactMap { $0[0].text })
    }

    /// The files whose paths begin with the text, by path.
    package func files(under prefix: String) async throws(HistoryError) -> [String: [UInt8]] {
        let rows = try await database.rows(
            "SELECT path, bytes FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
        return rows.reduce(into: [:]) { files, row in
            if let path = row[0].text, let bytes = row[1].bytes { files[path] = bytes }
        }
    }

    /// The contents of a file. Nil if it does not exist.
    package func file(_ path: String) async throws(HistoryError) -> [UInt8]? {
        try await database.rows("SELECT bytes FROM shared_files WHERE path = ?", [.text(path)]).first?[0].bytes
    }

    /// Stores files in the place of existing ones, either all or none.
    package func replace(_ files: [String: [UInt8]]) async throws(HistoryError) {
        try await database.write { connection in
            // The order is fixed, so that replicas do not deadlock.
            for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
                try connection.execute(
                    """
                    INSERT INTO shared_files (path, bytes) VALUES (?, ?) \
                    ON CONFLICT (path) DO UPDATE SET bytes = excluded.bytes
                    """, [.text(path), .bytes(bytes)])
            }
        }
    }

    /// Adds a file unless it exists. Returns the contents that the file then has.
    package func add(_ path: String, _ bytes: [UInt8]) async throws(HistoryError) -> [UInt8] {
        try await database.write { try Self.add(path, bytes, $0) }
    }

    /// Changes a file while no other replica can.
    ///
    /// - Parameters:
    ///   - bytes: the contents that `body` receives if the file does not exist.
    ///   - body: maps the old contents to the new ones. It may be called twice.
    /// - Returns: the new contents.
    package func change(
        _ path: String, initially bytes: [UInt8], _ body: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) async throws(HistoryError) -> [UInt8] {
        try await database.write { connection in
            let changed = try body(try Self.add(path, bytes, connection))
            try connection.execute("UPDATE shared_files SET bytes = ? WHERE path = ?", [.bytes(changed), .text(path)])
            return changed
        }
    }

    /// Removes the files whose paths begin with the text, and leaves one file as a mark of that.
    package func remove(under prefix: String, leaving path: String) async throws(HistoryError) {
        try await database.write { connection in
            try connection.execute("DELETE FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
            _ = try Self.add(path, [], connection)
        }
    }

    /// Removes the files whose paths begin with the text.
    package func remove(under prefix: String) async throws(HistoryError) {
        try await database.execute("DELETE FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
    }

    /// The bytes of the files whose paths begin with the text.
    package func bytes(under prefix: String) async throws(HistoryError) -> Int {
        try await database.read { connection in
            try connection.integer(
                "SELECT COALESCE(CAST(SUM(octet_length(bytes)) AS BIGINT), 0) FROM shared_files WHERE starts_with(path, ?)",
                [.text(prefix)])
        }
    }

    /// The contents of the file, locked against other replicas until the transaction ends.
    private static func add(_ path: String, _ bytes: [UInt8], _ connection: any SQLConnection) throws -> [UInt8] {
        while true {
            try connection.execute(
                "INSERT INTO shared_files (path, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [.text(path), .bytes(bytes)])
            let rows = try connection.rows("SELECT bytes FROM shared_files WHERE path = ? FOR UPDATE", [.text(path)])
            if let found = rows.first?[0].bytes { return found }
            // The file was removed between the two statements.
        }
    }
}

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
