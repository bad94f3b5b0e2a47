package import Base
internal import Logging

/// Keeps scans, their corrections, favourites, and jobs. All statements are here; `SQLDatabase` hides the differences
/// between the engines.
///
/// A change survives a crash of the process and a loss of power once its call returns.
package final class HistoryRepository: Sendable {
    private static let logger = Logger(label: "menagerie.history")

    let database: any SQLDatabase
    let options: RepositoryOptions

    init(database: any SQLDatabase, options: RepositoryOptions) {
        self.database = database
        self.options = options
    }

    // MARK: Saving

    /// Saves the files of the photo first, and then the scan that names them.
    ///
    /// A key that was used before returns its earlier scan if the request is the same (`request`, or the photo if the
    /// request is unknown). Otherwise this throws `idempotencyKeyReused`. An id that exists returns its scan.
    package func save(
        _ scan: Scan, writing files: [PhotoFile], idempotencyKey: String?
    ) async throws(HistoryError) -> SavedScan {
        try scan.validate()
        try validateIdempotencyKey(idempotencyKey)
        // The scan is encoded on the caller's thread, because all callers share the committing thread.
        let values = try ScanRecord(scan).values(idempotencyKey: idempotencyKey)
        let (saved, foundPhoto) = try await database.write(after: files, row: values) { connection -> SavedScan in
            if let earlier = try Self.replayed(scan, idempotencyKey: idempotencyKey, connection) {
                return SavedScan(scan: earlier)
            }
            let before = try Self.scanIDs(withDigest: scan.image.sha256, connection)
            guard try connection.execute(ScanRecord.insertion, values) == 0 else {
                return SavedScan(scan: scan, seenBefore: before)
            }
            // Another replica used the key first, or this same write was committed before the connection broke.
            if let earlier = try Self.replayed(scan, idempotencyKey: idempotencyKey, connection) {
                return SavedScan(scan: earlier)
            }
            return SavedScan(scan: try Self.scan(id: scan.id, connection), seenBefore: before.filter { $0 != scan.id })
        }
        return SavedScan(scan: saved.scan, seenBefore: saved.seenBefore, foundPhoto: foundPhoto)
    }

    private static func replayed(
        _ scan: Scan, idempotencyKey: String?, _ connection: any SQLConnection
    ) throws -> Scan? {
        guard let idempotencyKey, let earlier = try Self.scan(idempotencyKey: idempotencyKey, connection) else {
            return nil
        }
        guard earlier.answers(scan.request, photo: scan.image.sha256) else {
            throw HistoryError.idempotencyKeyReused(idempotencyKey)
        }
        return earlier
    }

    /// Inserts scans as they are (import, restore), with names in one spelling, and returns how many of them changed
    /// anything.
    ///
    /// A deleted scan returns as it is given here, even if its deletion can no longer be undone.
    /// `Scan.taken(over:wasDeleted:keepsPhoto:)` decides about ids that exist already.
    package func insert(_ scans: [Scan], keepsPhotos: Bool = true) async throws(HistoryError) -> Int {
        var rows: [(scan: Scan, values: [SQLValue])] = []
        for var scan in scans {
            scan.individual = scan.individual.map(ScanUpdate.spelling)
            try scan.validate()
            rows.append((scan, try ScanRecord(scan).values(idempotencyKey: nil)))
        }
        return try await database.write { [rows] connection in
            try rows.filter { try Self.insert($0.scan, $0.values, keepsPhotos, connection) }.count
        }
    }

    /// - Parameter values: the values of `ScanRecord.insertion`.
    /// - Returns: whether anything changed.
    private static func insert(
        _ scan: Scan, _ values: [SQLValue], _ keepsPhoto: Bool, _ connection: any SQLConnection
    ) throws -> Bool {
        // The row is locked, so that no other replica removes it meanwhile.
        let rows = try connection.rows(
            "SELECT \(ScanRecord.columns), deletion FROM scans WHERE id = ?\(connection.lockingClause)", [values[0]])
        guard let row = rows.first else {
            return try write(scan, ScanRecord.insertion, values, connection)
        }
        // A valid scan replaces a row that is unreadable.
        guard let earlier = try? ScanRecord(row: row).scan else {
            return try write(scan, ScanRecord.replacement, ScanRecord.replacing(values), connection)
        }
        guard let result = scan.taken(over: earlier, wasDeleted: row.last != .null, keepsPhoto: keepsPhoto) else {
            return false
        }
        let replacing = result == scan ? values : try ScanRecord(result).values(idempotencyKey: nil)
        return try write(result, ScanRecord.replacement, ScanRecord.replacing(replacing), connection)
    }

    private static func write(
        _ scan: Scan, _ statement: String, _ values: [SQLValue], _ connection: any SQLConnection
    ) throws -> Bool {
        guard try connection.execute(statement, values) > 0 else { return false }
        try connection.execute(ScanRecord.naming, [SQLValue(scan.individual), .text(scan.id.description)])
        return true
    }

    // MARK: Reading

    /// Throws `notFound` for an unknown or deleted scan.
    package func scan(id: ULID) async throws(HistoryError) -> Scan {
        try await database.read { try Self.scan(id: id, $0) }
    }

    /// The scan that was saved with the key. A repeated request then need not be recognised again.
    package func scan(idempotencyKey: String) async throws(HistoryError) -> Scan? {
        try validateIdempotencyKey(idempotencyKey)
        return try await database.read { try Self.scan(idempotencyKey: idempotencyKey, $0) }
    }

    /// The scans of rows, without those that are damaged, and the errors of these. They are logged.
    private static func readable(_ rows: some Sequence<[SQLValue]>) -> (scans: [Scan], damaged: [String]) {
        var (scans, damaged): ([Scan], [String]) = ([], [])
        for row in rows {
            do throws(HistoryError) {
                scans.append(try ScanRecord(row: row).scan)
            } catch {
                damaged.append(error.description)
                logger.warning("A scan is left out", metadata: ["error": "\(error)"])
            }
        }
        return (scans, damaged)
    }

    /// The ids of earlier scans of exactly the same photo (`image.sha256`), newest first, at most 100.
    package func scanIDs(withDigest digest: ContentDigest) async throws(HistoryError) -> [ULID] {
        try await database.read { try Self.scanIDs(withDigest: digest, $0) }
    }

    private static func scanIDs(withDigest digest: ContentDigest, _ connection: any SQLConnection) throws -> [ULID] {
        try connection.rows(
            """
            SELECT id FROM scans WHERE digest = ? AND deletion IS NULL ORDER BY created_at DESC, id DESC LIMIT 100
            """, [.text(digest.hexadecimal)]
        ).compactMap { row in row[0].text.flatMap { ULID($0) } }
    }

    /// A page of the scans that match the query, newest first.
    package func page(_ query: HistoryQuery) async throws(HistoryError) -> HistoryPage {
        try query.validate()
        return try await database.read { connection in
            let count = query.limit + 1
            let filter =
                try ScanFilter.notes(query, after: query.cursor, needsTimes: true, on: connection)?.newest(count)
                ?? ScanFilter.scans(query, after: query.cursor, on: connection)
            let rows = try connection.rows(
                """
                SELECT \(ScanRecord.columns) FROM \(filter.table) WHERE \(filter.clause) \
                ORDER BY created_at DESC, id DESC LIMIT ?
                """, filter.values + [.integer(Int64(count))])
            // One damaged row does not hide the others.
            let (items, damaged) = Self.readable(rows.prefix(query.limit))
            let hasMore = rows.count > query.limit
            let isAll = query.cursor == nil && !hasMore
            let total = isAll ? (count: rows.count, isExact: true) : try Self.total(query, connection)
            return HistoryPage(
                items: items, total: total.count, totalIsExact: total.isExact,
                nextCursor: hasMore ? Cursor(row: rows[query.limit - 1]) : nil, damaged: damaged)
        }
    }

    /// Running totals answer if they can. Otherwise matching rows are counted, up to a limit.
    private static func total(
        _ query: HistoryQuery, _ connection: any SQLConnection
    ) throws -> (count: Int, isExact: Bool) {
        if query.isCountedByTotals {
            let filter = ScanFilter.totals(query)
            let count = try connection.integer(
                "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM scan_totals WHERE \(filter.clause)", filter.values)
            return (count, true)
        }
        let notes = try ScanFilter.notes(
            query, after: nil, needsTimes: query.from != nil || query.to != nil, on: connection)
        let filter = try notes ?? ScanFilter.scans(query, after: nil, on: connection)
        let limit = HistoryPage.countingLimit
        let count = try connection.integer(
            "SELECT COUNT(*) FROM (SELECT 1 FROM \(filter.table) WHERE \(filter.clause) LIMIT \(limit + 1)) AS matching",
            filter.values)
        return (min(count, limit), count <= limit)
    }

    // MARK: Changing

    /// Changes note, corrected label or name, and returns the changed scan. Throws `notFound`, `invalid`.
    package func update(id: ULID, _ update: ScanUpdate) async throws(HistoryError) -> Scan {
        try update.validate()
        return try await database.write { connection in
            var scan = try Self.scan(id: id, connection, suffix: connection.lockingClause)
            scan.note = update.note.applied(to: scan.note)
            scan.correctedLabel = update.correctedLabel.applied(to: scan.correctedLabel)
            scan.individual = update.individual.applied(to: scan.individual)
            try connection.execute(
                """
                UPDATE scans SET note = ?, note_folded = ?, corrected_label = ?, individual = ?, label = ?, abstained = ? \
                WHERE id = ?
                """,
                [
                    SQLValue(scan.note), SQLValue(scan.note?.foldedForSearch), SQLValue(scan.correctedLabel),
                    SQLValue(scan.individual),
                    .text(ScanRecord.label(scan.effectiveLabel)),
                    ScanRecord.flag(scan.abstained && scan.correctedLabel == nil), .text(id.description),
                ])
            return scan
        }
    }

    private static func scan(id: ULID, _ connection: any SQLConnection, suffix: String = "") throws -> Scan {
        let rows = try connection.rows(
            "SELECT \(ScanRecord.columns) FROM scans WHERE id = ? AND deletion IS NULL\(suffix)",
            [.text(id.description)])
        guard let row = rows.first else { throw HistoryError.notFound(id.description) }
        return try ScanRecord(row: row).scan
    }

    private static func scan(idempotencyKey: String, _ connection: any SQLConnection) throws -> Scan? {
        try connection.rows(
            "SELECT \(ScanRecord.columns) FROM scans WHERE idempotency_key = ?", [.text(idempotencyKey)]
        ).first.map { try ScanRecord(row: $0).scan }
    }

    // MARK: Upkeep

    /// The problems of the stored data, in words. Empty if there are none.
    package func checkIntegrity() async throws(HistoryError) -> [String] {
        let below = try await database.checkIntegrity()
        let above = try await database.read { connection in
            let rows = try connection.integer("SELECT COUNT(*) FROM scans WHERE deletion IS NULL", [])
            let total = try connection.integer("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM scan_totals", [])
            return rows == total ? [] : ["the running totals say \(counted(total, "scan")), there are \(rows)"]
        }
        return below + above
    }

    /// The size of the history, from running totals. The cost does not grow with the history.
    package func usage() async throws(HistoryError) -> HistoryUsage {
        try await database.read { connection in
            let total = { (column: String) in
                try connection.integer("SELECT CAST(COALESCE(SUM(\(column)), 0) AS BIGINT) FROM scan_totals", [])
            }
            return HistoryUsage(
                scans: try total("count"), photoBytes: try total("bytes"),
                databaseBytes: try connection.integer(connection.sizeQuery, []))
        }
    }

    /// Sends a text to every listener at the same database. A database with only one process has no listeners.
    package func notify(_ text: String) async throws(HistoryError) {
        try await database.write { try $0.notify(text) }
    }

    /// Waits for writes under way, checkpoints and closes. Later calls throw `closed`.
    package func close() async throws(HistoryError) { try await database.close() }
}
