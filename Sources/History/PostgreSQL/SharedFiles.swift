internal import Base

/// Files that all replicas have, as rows of the database that they share: a path, and what the file holds.
package struct SharedFiles: Sendable {
    let database: any SQLDatabase

    /// Connects on its own, and makes the tables where they are not there: for those who need nothing else of a history.
    package static func open(connectionString: String) async throws(HistoryError) -> SharedFiles {
        let repository = try await PostgreSQLDatabase.repository(
            connectionString: connectionString, readers: 1, options: RepositoryOptions())
        return SharedFiles(database: repository.database)
    }

    /// The paths that begin with the text.
    package func paths(under prefix: String) async throws(HistoryError) -> Set<String> {
        let rows = try await database.read { connection in
            try connection.rows("SELECT path FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
        }
        return Set(rows.compactMap { $0[0].text })
    }

    /// The files whose paths begin with the text, by path.
    package func files(under prefix: String) async throws(HistoryError) -> [String: [UInt8]] {
        let rows = try await database.read { connection in
            try connection.rows("SELECT path, bytes FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
        }
        return rows.reduce(into: [:]) { files, row in
            if let path = row[0].text, let bytes = row[1].bytes { files[path] = bytes }
        }
    }

    /// What a file holds; nil where there is none.
    package func file(_ path: String) async throws(HistoryError) -> [UInt8]? {
        try await database.read { connection in
            try connection.rows("SELECT bytes FROM shared_files WHERE path = ?", [.text(path)]).first?[0].bytes
        }
    }

    /// Keeps files, in the place of those that there were; all of them or none.
    package func replace(_ files: [String: [UInt8]]) async throws(HistoryError) {
        try await database.write { connection in
            // In order, so that replicas do not wait for one another in a circle.
            for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
                try connection.execute(
                    """
                    INSERT INTO shared_files (path, bytes) VALUES (?, ?) \
                    ON CONFLICT (path) DO UPDATE SET bytes = excluded.bytes
                    """, [.text(path), .bytes(bytes)])
            }
        }
    }

    /// Adds a file where there is none, and returns what the file there holds then.
    package func add(_ path: String, _ bytes: [UInt8]) async throws(HistoryError) -> [UInt8] {
        try await database.write { try Self.add(path, bytes, $0) }
    }

    /// Changes a file, while no other replica does.
    ///
    /// - Parameters:
    ///   - bytes: what there is to be changed where there is no such file yet.
    ///   - body: what is in the file then; it may be asked twice.
    /// - Returns: what the file holds now.
    package func change(
        _ path: String, initially bytes: [UInt8], _ body: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) async throws(HistoryError) -> [UInt8] {
        try await database.write { connection in
            let changed = try body(try Self.add(path, bytes, connection))
            try connection.execute("UPDATE shared_files SET bytes = ? WHERE path = ?", [.bytes(changed), .text(path)])
            return changed
        }
    }

    /// Removes the files whose paths begin with the text, and leaves one that says so.
    package func remove(under prefix: String, leaving path: String) async throws(HistoryError) {
        try await database.write { connection in
            try connection.execute("DELETE FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
            _ = try Self.add(path, [], connection)
        }
    }

    /// Removes the files whose paths begin with the text.
    package func remove(under prefix: String) async throws(HistoryError) {
        try await database.write { connection in
            _ = try connection.execute("DELETE FROM shared_files WHERE starts_with(path, ?)", [.text(prefix)])
        }
    }

    /// Bytes of the files whose paths begin with the text.
    package func bytes(under prefix: String) async throws(HistoryError) -> Int {
        try await database.read { connection in
            try connection.integer(
                "SELECT COALESCE(CAST(SUM(octet_length(bytes)) AS BIGINT), 0) FROM shared_files WHERE starts_with(path, ?)",
                [.text(prefix)])
        }
    }

    /// What the file holds, which no other replica changes until the transaction ends.
    private static func add(_ path: String, _ bytes: [UInt8], _ connection: any SQLConnection) throws -> [UInt8] {
        while true {
            try connection.execute(
                "INSERT INTO shared_files (path, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [.text(path), .bytes(bytes)])
            let rows = try connection.rows("SELECT bytes FROM shared_files WHERE path = ? FOR UPDATE", [.text(path)])
            if let found = rows.first?[0].bytes { return found }
            // It was removed between the two statements.
        }
    }
}
