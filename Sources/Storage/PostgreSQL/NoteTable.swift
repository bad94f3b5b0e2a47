internal import Base
internal import Foundation
internal import Logging

/// A table (`scan_notes`) with the notes of scans that are not deleted. Searching and counting notes then reads none of
/// the wide rows of `scans`. Triggers keep it up to date. One replica copies older notes, and builds the indexes of a
/// large history, while all replicas go on serving. Searches use the table once its last index exists.
enum NoteTable {
    /// The advisory lock of the replica that completes the table.
    static let lock: Int64 = 0x4D45_4E41_0000_0004

    static let tables = """
        CREATE TABLE scan_notes (
            id TEXT COLLATE "C" PRIMARY KEY,
            created_at BIGINT NOT NULL,
            note_folded TEXT NOT NULL
        );
        CREATE FUNCTION scan_notes_keep() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            IF TG_OP <> 'INSERT' THEN DELETE FROM scan_notes WHERE id = OLD.id; END IF;
            IF TG_OP <> 'DELETE' AND NEW.deletion IS NULL AND NEW.note_folded IS NOT NULL THEN
                INSERT INTO scan_notes VALUES (NEW.id, NEW.created_at, NEW.note_folded);
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER scans_noted_inserted AFTER INSERT ON scans FOR EACH ROW
            WHEN (NEW.note_folded IS NOT NULL AND NEW.deletion IS NULL) EXECUTE FUNCTION scan_notes_keep();
        CREATE TRIGGER scans_noted_removed AFTER DELETE ON scans FOR EACH ROW
            WHEN (OLD.note_folded IS NOT NULL AND OLD.deletion IS NULL) EXECUTE FUNCTION scan_notes_keep();
        CREATE TRIGGER scans_noted_changed AFTER UPDATE ON scans FOR EACH ROW
            WHEN ((OLD.note_folded, OLD.deletion, OLD.created_at)
                IS DISTINCT FROM (NEW.note_folded, NEW.deletion, NEW.created_at)
                AND (OLD.note_folded IS NOT NULL OR NEW.note_folded IS NOT NULL))
            EXECUTE FUNCTION scan_notes_keep();
        DO $$ BEGIN
            IF NOT EXISTS (SELECT 1 FROM scans WHERE deletion IS NULL AND note_folded IS NOT NULL) THEN
                IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') THEN
                    \(words("INDEX"));
                END IF;
                \(times("INDEX"));
            END IF;
        END $$;
        """

    /// The index for `LIKE`.
    private static func words(_ index: String) -> String {
        "CREATE \(index) scan_notes_words ON scan_notes USING gin (note_folded gin_trgm_ops)"
    }

    private static func times(_ index: String) -> String {
        "CREATE \(index) scan_notes_by_time ON scan_notes (created_at, id)"
    }

    /// Whether searches may use the table.
    static func isReady(_ connection: any SQLConnection) throws -> Bool {
        try isValid("scan_notes_by_time", connection)
    }

    /// An index whose creation was interrupted exists, but is not valid.
    private static func isValid(_ index: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.integer(
            "SELECT COUNT(*) FROM pg_index WHERE indexrelid = to_regclass(?) AND indisvalid", [.text(index)]) == 1
    }

    /// Adds the missing notes and indexes, unless another replica is doing so. A writer waits for the notes of a few
    /// rows at most. An interrupted run can be started again.
    /// - Returns: whether the table is complete now.
    static func complete(_ connection: PostgreSQLConnection) throws -> Bool {
        if try isReady(connection) { return true }
        guard
            try connection.integer("SELECT CAST(pg_try_advisory_lock(\(lock)) AS INTEGER)", []) == 1
        else { return false }
        try connection.command("SET statement_timeout = 0")
        connection.answerTimeout = nil
        try fill(connection)
        if try connection.integer("SELECT COUNT(*) FROM pg_extension WHERE extname = 'pg_trgm'", []) == 1 {
            try make("scan_notes_words", words("INDEX CONCURRENTLY"), connection)
        }
        try connection.command("ANALYZE scan_notes")
        try make("scan_notes_by_time", times("INDEX CONCURRENTLY"), connection)
        // The index that an earlier release searched with.
        try connection.command("DROP INDEX CONCURRENTLY IF EXISTS scans_by_note")
        return true
    }

    /// Copies notes that are older than the triggers. Each row is locked while it is copied, so that a concurrent
    /// change is not overwritten.
    private static func fill(_ connection: PostgreSQLConnection) throws {
        var last: [SQLValue] = [.integer(.min), .text("")]
        while true {
            let rows = try connection.rows(
                """
                WITH noted AS (
                    SELECT id, created_at, note_folded FROM scans
                    WHERE deletion IS NULL AND note_folded IS NOT NULL AND (created_at, id) > (?, ?)
                    ORDER BY created_at, id LIMIT 1000 FOR SHARE
                ), added AS (
                    INSERT INTO scan_notes (id, created_at, note_folded)
                    SELECT id, created_at, note_folded FROM noted ON CONFLICT DO NOTHING
                )
                SELECT created_at, id FROM noted ORDER BY created_at DESC, id DESC LIMIT 1
                """, last)
            guard let row = rows.first else { return }
            last = row
        }
    }

    private static func make(_ index: String, _ statement: String, _ connection: PostgreSQLConnection) throws {
        if try isValid(index, connection) { return }
        try connection.command("DROP INDEX CONCURRENTLY IF EXISTS \(index)")
        try connection.command(statement)
    }
}

/// A thread that tries to complete the `NoteTable` until some replica has done so.
final class NoteTableCompletion: Sendable {
    private let isClosed = Locked(false)

    init(connectionString: String, logger: Logger) {
        let thread = Thread { [isClosed] in
            var logged = ""
            while !isClosed.withLock({ $0 }) {
                do {
                    // The lock ends with the connection.
                    if try NoteTable.complete(PostgreSQLConnection(connectionString)) { return }
                } catch {
                    if logged != "\(error)" {
                        logger.warning("The index of the notes is not made yet", metadata: ["error": "\(error)"])
                    }
                    logged = "\(error)"
                }
                Thread.sleep(forTimeInterval: .random(in: 0.5...1))
            }
        }
        thread.name = "menagerie.history.postgresql.notes"
        thread.stackSize = 1_024 * 1_024
        thread.start()
    }

    /// Ends the thread before its next attempt.
    func close() { isClosed.withLock { $0 = true } }
}
