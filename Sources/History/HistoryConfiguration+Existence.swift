internal import Base
internal import Foundation
internal import GRDB

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
        guard FileSystem.isDirectory(directory) else {
            throw .noHistory(path: directory, detail: "there is no such folder")
        }
        let path = directory + "/history.sqlite"
        guard FileManager.default.fileExists(atPath: path) else {
            throw .noHistory(path: directory, detail: "it has no history.sqlite")
        }
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
