internal import GRDB

/// The tables. Never edit a released migration; add a new one.
enum SQLiteMigrations {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 scans") { try $0.execute(sql: scans) }
        migrator.registerMigration("2 totals") { try $0.execute(sql: totals) }
        migrator.registerMigration("3 favourites") { try $0.execute(sql: favourites) }
        migrator.registerMigration("4 journal positions") { try $0.execute(sql: journalPositions) }
        migrator.registerMigration("5 jobs") { try $0.execute(sql: jobs) }
        migrator.registerMigration("6 laps") { try $0.execute(sql: laps) }
        migrator.registerMigration("7 individuals") { try $0.execute(sql: individuals) }
        migrator.registerMigration("8 words of notes") { try $0.execute(sql: notes) }
        migrator.registerMigration("9 notes beside the scans") { try $0.execute(sql: noteIndex) }
        migrator.registerMigration("10 no thumbnails") { try $0.execute(sql: noThumbnails) }
        migrator.registerMigration("11 folded notes") { try $0.execute(sql: ScanRecord.refolding) }
        return migrator
    }

    /// Every index that serves a list ends in (created_at, id), so that reading a page costs the same for any number of
    /// scans. The indexes are partial, so that they contain no deleted scans.
    private static let scans = """
        CREATE TABLE scans (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            species TEXT NOT NULL,
            label TEXT NOT NULL,
            abstained INTEGER NOT NULL,
            corrected_label TEXT,
            note TEXT,
            note_folded TEXT,
            digest TEXT NOT NULL,
            photo_digest TEXT,
            thumbnail_digest TEXT,
            photo_bytes INTEGER NOT NULL,
            idempotency_key TEXT UNIQUE,
            deletion TEXT,
            document TEXT NOT NULL
        );
        CREATE INDEX scans_by_time ON scans (created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_by_label ON scans (label, created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_by_species ON scans (species, created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_corrected ON scans (created_at, id)
            WHERE deletion IS NULL AND corrected_label IS NOT NULL;
        CREATE INDEX scans_noted ON scans (created_at, id) WHERE deletion IS NULL AND note_folded IS NOT NULL;
        CREATE INDEX scans_by_digest ON scans (digest, created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_by_photo ON scans (photo_digest);
        CREATE INDEX scans_by_thumbnail ON scans (thumbnail_digest);
        CREATE INDEX scans_deleted ON scans (deletion) WHERE deletion IS NOT NULL;
        """

    /// Running totals of the live scans, so that no list has to count a million rows.
    private static let totals = """
        CREATE TABLE scan_totals (
            species TEXT NOT NULL,
            label TEXT NOT NULL,
            corrected INTEGER NOT NULL,
            abstained INTEGER NOT NULL,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (species, label, corrected, abstained)
        ) WITHOUT ROWID;
        CREATE TRIGGER scans_inserted AFTER INSERT ON scans WHEN NEW.deletion IS NULL BEGIN
            \(adding("NEW"))
        END;
        CREATE TRIGGER scans_removed AFTER DELETE ON scans WHEN OLD.deletion IS NULL BEGIN
            \(subtracting("OLD"))
        END;
        CREATE TRIGGER scans_deleted_softly AFTER UPDATE OF deletion ON scans
            WHEN OLD.deletion IS NULL AND NEW.deletion IS NOT NULL BEGIN
            \(subtracting("OLD"))
        END;
        CREATE TRIGGER scans_restored AFTER UPDATE OF deletion ON scans
            WHEN OLD.deletion IS NOT NULL AND NEW.deletion IS NULL BEGIN
            \(adding("NEW"))
        END;
        CREATE TRIGGER scans_changed AFTER UPDATE OF species, label, corrected_label, abstained, photo_bytes ON scans
            WHEN OLD.deletion IS NULL AND NEW.deletion IS NULL BEGIN
            \(subtracting("OLD"))
            \(adding("NEW"))
        END;
        """

    private static func adding(_ row: String) -> String {
        """
        INSERT INTO scan_totals (species, label, corrected, abstained, count, bytes)
        VALUES (\(row).species, \(row).label, \(row).corrected_label IS NOT NULL, \(row).abstained, 1, \(row).photo_bytes)
        ON CONFLICT (species, label, corrected, abstained)
        DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        """
    }

    private static func subtracting(_ row: String) -> String {
        """
        UPDATE scan_totals SET count = count - 1, bytes = bytes - \(row).photo_bytes
        WHERE species = \(row).species AND label = \(row).label
            AND corrected = (\(row).corrected_label IS NOT NULL) AND abstained = \(row).abstained;
        """
    }

    /// An index of every three characters in a row of the notes, by `sequence`. The notes stay in `scans`.
    private static let notes = """
        CREATE VIRTUAL TABLE scan_notes
            USING fts5(note_folded, content='', columnsize=0, tokenize='trigram case_sensitive 1');
        INSERT INTO scan_notes (rowid, note_folded)
            SELECT sequence, note_folded FROM scans WHERE note_folded IS NOT NULL;
        CREATE TRIGGER scans_noted_inserted AFTER INSERT ON scans WHEN NEW.note_folded IS NOT NULL BEGIN
            INSERT INTO scan_notes (rowid, note_folded) VALUES (NEW.sequence, NEW.note_folded);
        END;
        CREATE TRIGGER scans_noted_removed AFTER DELETE ON scans WHEN OLD.note_folded IS NOT NULL BEGIN
            INSERT INTO scan_notes (scan_notes, rowid, note_folded) VALUES ('delete', OLD.sequence, OLD.note_folded);
        END;
        CREATE TRIGGER scans_noted_changed AFTER UPDATE OF note_folded ON scans
            WHEN OLD.note_folded IS NOT NEW.note_folded BEGIN
            INSERT INTO scan_notes (scan_notes, rowid, note_folded)
                SELECT 'delete', OLD.sequence, OLD.note_folded WHERE OLD.note_folded IS NOT NULL;
            INSERT INTO scan_notes (rowid, note_folded)
                SELECT NEW.sequence, NEW.note_folded WHERE NEW.note_folded IS NOT NULL;
        END;
        """

    /// Removes the notes of deleted scans from the table of notes, so that it can count by itself. The new index
    /// contains the notes, so that a walk along it reads nothing else.
    private static let noteIndex = """
        DROP INDEX scans_noted;
        CREATE INDEX scans_noted ON scans (created_at, id, note_folded)
            WHERE deletion IS NULL AND note_folded IS NOT NULL;
        DROP TRIGGER scans_noted_inserted;
        DROP TRIGGER scans_noted_removed;
        DROP TRIGGER scans_noted_changed;
        INSERT INTO scan_notes (scan_notes, rowid, note_folded)
            SELECT 'delete', sequence, note_folded FROM scans WHERE deletion IS NOT NULL AND note_folded IS NOT NULL;
        CREATE TRIGGER scans_noted_inserted AFTER INSERT ON scans WHEN \(liveNote("NEW")) IS NOT NULL BEGIN
            INSERT INTO scan_notes (rowid, note_folded) VALUES (NEW.sequence, NEW.note_folded);
        END;
        CREATE TRIGGER scans_noted_removed AFTER DELETE ON scans WHEN \(liveNote("OLD")) IS NOT NULL BEGIN
            INSERT INTO scan_notes (scan_notes, rowid, note_folded) VALUES ('delete', OLD.sequence, OLD.note_folded);
        END;
        CREATE TRIGGER scans_noted_changed AFTER UPDATE OF note_folded, deletion ON scans
            WHEN \(liveNote("OLD")) IS NOT \(liveNote("NEW")) BEGIN
            INSERT INTO scan_notes (scan_notes, rowid, note_folded)
                SELECT 'delete', OLD.sequence, OLD.note_folded WHERE \(liveNote("OLD")) IS NOT NULL;
            INSERT INTO scan_notes (rowid, note_folded)
                SELECT NEW.sequence, NEW.note_folded WHERE \(liveNote("NEW")) IS NOT NULL;
        END;
        """

    private static func liveNote(_ row: String) -> String {
        "CASE WHEN \(row).deletion IS NULL THEN \(row).note_folded END"
    }

    /// The names of individual animals.
    private static let individuals = """
        ALTER TABLE scans ADD COLUMN individual TEXT;
        CREATE INDEX scans_named ON scans (created_at, id) WHERE deletion IS NULL AND individual IS NOT NULL;
        """

    /// Thumbnails are made from the photos on demand. Upkeep removes the files of stored ones, which no scan names now.
    private static let noThumbnails = """
        DROP INDEX scans_by_thumbnail;
        ALTER TABLE scans DROP COLUMN thumbnail_digest;
        """

    /// A session of the lap timer as one document, and its pictures in base 64.
    private static let laps = """
        CREATE TABLE lap_sessions (id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE lap_photos (
            session TEXT NOT NULL,
            lap INTEGER NOT NULL,
            photo TEXT NOT NULL,
            PRIMARY KEY (session, lap)
        );
        """

    private static let favourites = """
        CREATE TABLE favourites (
            article_id TEXT NOT NULL PRIMARY KEY,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        """

    /// For each file of the journal, the position up to which `scans` has its rows.
    private static let journalPositions = """
        CREATE TABLE journal_positions (
            file TEXT NOT NULL PRIMARY KEY,
            generation INTEGER NOT NULL,
            position INTEGER NOT NULL
        ) WITHOUT ROWID;
        """

    /// Long work, such as on videos.
    private static let jobs = """
        CREATE TABLE jobs (
            id TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            state TEXT NOT NULL,
            document TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX jobs_by_kind ON jobs (kind, id);
        """
}
