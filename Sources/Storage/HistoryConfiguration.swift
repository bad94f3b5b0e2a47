internal import Base
internal import Foundation
internal import GRDB

package struct HistoryConfiguration: Sendable {
    /// The database that holds the scans.
    package enum Backend: Sendable {
        /// Keeps the rows in `history.sqlite` in the directory.
        case sqlite
        /// A server that several replicas share, by connection string or URI (`postgresql://user@host/database`). It
        /// also keeps the photos. The directory then holds only the replica's own files, such as videos.
        case postgreSQL(connectionString: String)
    }

    package var backend: Backend
    /// Holds `history.sqlite` and `photos/`. It is created if absent, readable by its owner only.
    package var directory: String
    package var retention: RetentionPolicy
    package var options: RepositoryOptions
    /// Whether opening fails if no history exists, instead of creating one; see `HistoryStore.open`.
    package var mustExist: Bool
    /// The time before a photo file that no scan names is removed, in seconds. It is longer than any save takes.
    package var orphanAge: Int

    package init(
        backend: Backend = .sqlite, directory: String, retention: RetentionPolicy = RetentionPolicy(),
        options: RepositoryOptions = RepositoryOptions(),
        orphanAge: Int = 3_600, mustExist: Bool = false
    ) {
        self.backend = backend
        self.directory = directory
        self.retention = retention
        self.options = options
        self.orphanAge = orphanAge
        self.mustExist = mustExist
    }
}

extension HistoryConfiguration {
    /// Throws `noHistory` if no history exists yet. Writes nothing. Blocks.
    package func requireHistory() throws(HistoryError) {
        switch backend {
        case .sqlite: try requireSQLite()
        case .postgreSQL(let connectionString):
            let session = PostgreSQLSession(connectionString: connectionString, patience: options.patience)
            let hasTables = try session.transaction("BEGIN READ ONLY") { connection in
                try connection.integer("SELECT CAST(to_regclass('menagerie_migrations') IS NOT NULL AS INTEGER)", [])
            }
            guard hasTables == 1 else {
                throw .noHistory(path: "the PostgreSQL database", detail: "it has no tables of Menagerie's")
            }
        }
    }

    private func requireSQLite() throws(HistoryError) {
        let path = directory + "/history.sqlite"
        guard !FileSystem.isHidden(path) else {
            throw .unavailable("this user may not look into \(directory): check its owner and its permissions")
        }
        guard FileSystem.isDirectory(directory) else {
            throw .noHistory(path: directory, detail: "there is no such folder")
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw .noHistory(path: directory, detail: "it has no history.sqlite")
        }
        try FileProtection.requireFile(path)
        // SQLite cannot open it there. `HistoryStore.open` does, and looks again.
        if ReadOnlyHistory.holds(directory) { return }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(options.patience)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let hasTables = try database.read { try $0.tableExists("scans") && $0.tableExists("grdb_migrations") }
            try database.close()
            guard hasTables else {
                throw HistoryError.noHistory(path: directory, detail: "its history.sqlite has no tables of Menagerie's")
            }
        } catch {
            throw .sqlite(error, path: path)
        }
    }
}
