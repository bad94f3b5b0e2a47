package import Base
internal import Foundation

// A scan is deleted in two steps. First `deletion` names the deletion, whose identifier carries its time. After the
// grace time, the row is removed. Large deletions proceed in small parts, so that scans can be saved in between.
extension HistoryRepository {
    private static let step = 2_000

    /// Runs a part of a deletion, with fewer rows if the disk has no room for the write.
    private func freeing<Value: Sendable>(
        _ body: @escaping @Sendable (_ rows: Int, any SQLConnection) throws -> Value
    ) async throws(HistoryError) -> Value {
        var rows = Self.step
        while true {
            do throws(HistoryError) {
                return try await database.free { [rows] in try body(rows, $0) }
            } catch {
                guard case .diskFull = error, rows >= 10 else { throw error }
                rows /= 10
            }
        }
    }

    /// Deletes one scan. The deletion can be undone for a while. Throws `notFound`.
    package func delete(id: ULID) async throws(HistoryError) -> Deletion {
        let deletion = try await delete(ids: [id])
        guard deletion.count == 1 else { throw .notFound(id.description) }
        return deletion
    }

    /// Deletes the given scans. Unknown ids are ignored.
    package func delete(ids: [ULID]) async throws(HistoryError) -> Deletion {
        let deletion = newDeletion()
        let values = ids.map { [SQLValue.text(deletion.id.description), .text($0.description)] }
        return try await database.free { connection in
            for value in values {
                try connection.execute("UPDATE scans SET deletion = ? WHERE id = ? AND deletion IS NULL", value)
            }
            return try Self.counted(deletion, connection)
        }
    }

    /// Deletes every scan that existed when the call began.
    package func deleteAll() async throws(HistoryError) -> Deletion {
        let deletion = newDeletion()
        let (first, last) = try await database.read { connection in
            (
                try connection.integer("SELECT COALESCE(MIN(sequence), 0) FROM scans", []),
                try connection.integer("SELECT COALESCE(MAX(sequence), -1) FROM scans", [])
            )
        }
        var start = first
        while start <= last {
            start = try await freeing { [start] rows, connection in
                let end = min(start + rows - 1, last)
                try connection.execute(
                    "UPDATE scans SET deletion = ? WHERE sequence BETWEEN ? AND ? AND deletion IS NULL",
                    [.text(deletion.id.description), .integer(Int64(start)), .integer(Int64(end))])
                return end + 1
            }
        }
        return try await database.read { try Self.counted(deletion, $0) }
    }

    /// Takes a deletion back and returns how many scans it restored. Throws `undoExpired`.
    package func undo(_ deletion: ULID) async throws(HistoryError) -> Int {
        guard deletion.date >= graceStart else { throw .undoExpired(deletion.description) }
        let key = SQLValue.text(deletion.description)
        let count = try await database.read { try Self.counted(Deletion(id: deletion), $0).count }
        let begun = Locked(0)
        var (ended, restored, last) = (0, 0, 0)
        repeat {
            last = try await database.write { connection in
                begun.withLock { $0 += 1 }
                // The condition is repeated on the row: another replica may have restored it since the selection.
                return try connection.execute(
                    """
                    UPDATE scans SET deletion = NULL WHERE deletion = ? \
                    AND sequence IN (SELECT sequence FROM scans WHERE deletion = ? LIMIT \(Self.step))
                    """, [key, key])
            }
            ended += 1
            restored += last
        } while last > 0
        // A repeated step may have restored rows without counting them, so the count from the start is used then.
        if begun.withLock({ $0 }) > ended { restored = max(count, restored) }
        guard restored > 0 else { throw .undoExpired(deletion.description) }
        return restored
    }

    /// Removes some of the scans whose grace time after deletion is over. Call it until it finds nothing.
    package func purgeDeleted() async throws(HistoryError) -> Removal {
        let bound = SQLValue.text(ULID(lowestAt: graceStart).description)
        return try await freeing { rows, connection in
            guard try connection.becomesJanitor() else { return Removal() }
            return try Self.remove(
                "SELECT sequence FROM scans WHERE deletion < ? LIMIT ?", [bound, .integer(Int64(rows))], connection)
        }
    }

    /// Removes some of the oldest scans beyond the limits, without grace time. Call it until it finds nothing.
    package func enforce(_ policy: RetentionPolicy) async throws(HistoryError) -> Removal {
        let oldest = policy.maximumAge.map { SQLValue.integer(options.now().addingTimeInterval(-$0).milliseconds) }
        return try await freeing { rows, connection in
            guard try connection.becomesJanitor() else { return Removal() }
            if let oldest {
                let removal = try Self.remove(
                    """
                    SELECT sequence FROM scans WHERE deletion IS NULL AND created_at < ? \
                    ORDER BY created_at, id LIMIT ?
                    """, [oldest, .integer(Int64(rows))], connection)
                if removal.count > 0 { return removal }
            }
            return try policy.maximumBytes.map { try Self.removeOldest(rows, beyond: $0, connection) } ?? Removal()
        }
    }

    /// Returns free space to the disk after removals, a little at a time.
    package func reclaimSpace() async throws(HistoryError) { try await database.reclaimSpace() }

    /// The photos that a scan names. Deleted scans count as long as they can be restored.
    package func referenced(among digests: [ContentDigest]) async throws(HistoryError) -> Set<ContentDigest> {
        try await database.read { connection in
            var found: Set<ContentDigest> = []
            for digest in digests {
                let value = SQLValue.text(digest.hexadecimal)
                let rows = try connection.rows("SELECT 1 FROM scans WHERE photo_digest = ? LIMIT 1", [value])
                if !rows.isEmpty { found.insert(digest) }
            }
            return found
        }
    }

    // MARK: Parts

    private var graceStart: Date { options.now().addingTimeInterval(-options.undoGrace) }

    private func newDeletion() -> Deletion { Deletion(id: ULID(date: options.now())) }

    private static func counted(_ deletion: Deletion, _ connection: any SQLConnection) throws -> Deletion {
        var deletion = deletion
        deletion.count = try connection.integer(
            "SELECT COUNT(*) FROM scans WHERE deletion = ?", [.text(deletion.id.description)])
        return deletion
    }

    /// Removes some of the oldest scans with photos while the history holds more bytes than allowed.
    private static func removeOldest(_ rows: Int, beyond limit: Int, _ connection: any SQLConnection) throws -> Removal
    {
        var excess = try connection.integer("SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM scan_totals", [])
        excess -= limit
        guard excess > 0 else { return Removal() }
        let oldest = try connection.rows(
            """
            SELECT sequence, photo_bytes FROM scans WHERE deletion IS NULL AND photo_bytes > 0 \
            ORDER BY created_at, id LIMIT ?
            """, [.integer(Int64(rows))])
        var total = Removal()
        for row in oldest where excess > 0 {
            excess -= Int(row[1].integer ?? 0)
            let removal = try remove("?", [row[0]], connection)
            total.count += removal.count
            total.digests.formUnion(removal.digests)
        }
        return total
    }

    /// Removes the rows that the selection yields.
    private static func remove(
        _ selection: String, _ values: [SQLValue], _ connection: any SQLConnection
    ) throws -> Removal {
        let rows = try connection.rows(
            "DELETE FROM scans WHERE sequence IN (\(selection)) RETURNING photo_digest", values)
        return Removal(
            count: rows.count, digests: Set(rows.joined().compactMap { $0.text.flatMap(ContentDigest.init) }))
    }
}
