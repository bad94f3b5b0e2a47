/// The tables. Never edit a released migration; add a new one.
enum PostgreSQLMigrations {
    /// The advisory locks of Menagerie (`MENA` in ASCII, and a number).
    private static let migrationLock: Int64 = 0x4D45_4E41_0000_0001
    private static let compactionLock: Int64 = 0x4D45_4E41_0000_0002

    static let janitorLock: Int64 = 0x4D45_4E41_0000_0003

    private static let migrations = [
        scans + totals, favourites, jobs, laps, individuals, photos, replicas, runs, trigrams, NoteTable.tables,
        ScanRecord.refolding,
    ]

    /// Brings the schema up to date. Replicas that start together take turns.
    static func migrate(_ connection: PostgreSQLConnection) throws {
        _ = try connection.rows("SELECT pg_advisory_xact_lock(\(migrationLock))", [])
        try connection.command("CREATE TABLE IF NOT EXISTS menagerie_migrations (version BIGINT PRIMARY KEY)")
        let version = try connection.integer("SELECT COALESCE(MAX(version), 0) FROM menagerie_migrations", [])
        guard version <= migrations.count else { throw HistoryError.newerSchema(path: "the PostgreSQL server") }
        for (index, migration) in migrations.enumerated().dropFirst(version) {
            try connection.command(migration)
            try connection.execute("INSERT INTO menagerie_migrations VALUES (?)", [.integer(Int64(index + 1))])
        }
    }

    /// Compacts the rows of `scan_totals`, unless another replica is doing so.
    static func compactTotals(_ connection: any SQLConnection) throws {
        let isFree = try connection.integer(
            "SELECT CAST(pg_try_advisory_xact_lock(\(compactionLock)) AS INTEGER)", [])
        guard isFree == 1 else { return }
        try connection.execute(
            """
            WITH moved AS (DELETE FROM scan_totals RETURNING *) INSERT INTO scan_totals \
            SELECT species, label, corrected, abstained, SUM(count), SUM(bytes) FROM moved \
            GROUP BY species, label, corrected, abstained HAVING SUM(count) <> 0 OR SUM(bytes) <> 0
            """, [])
    }

    /// The same table as in SQLite. Texts are compared byte by byte, whatever the collation of the database.
    ///
    /// `thumbnail_digest` is unused. It stays because replicas are upgraded one after the other, and those of release
    /// 1.0 write a null to it.
    private static let scans = """
        CREATE TABLE scans (
            sequence BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
            id TEXT COLLATE "C" PRIMARY KEY,
            created_at BIGINT NOT NULL,
            species TEXT COLLATE "C" NOT NULL,
            label TEXT COLLATE "C" NOT NULL,
            abstained BIGINT NOT NULL,
            corrected_label TEXT,
            note TEXT,
            note_folded TEXT,
            digest TEXT COLLATE "C" NOT NULL,
            photo_digest TEXT COLLATE "C",
            thumbnail_digest TEXT COLLATE "C",
            photo_bytes BIGINT NOT NULL,
            idempotency_key TEXT COLLATE "C" UNIQUE,
            deletion TEXT COLLATE "C",
            document TEXT NOT NULL
        );
        CREATE INDEX scans_by_time ON scans (created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_by_label ON scans (label, created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_by_species ON scans (species, created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_corrected ON scans (created_at, id)
            WHERE deletion IS NULL AND corrected_label IS NOT NULL;
        CREATE INDEX scans_noted ON scans (created_at, id) WHERE deletion IS NULL AND note_folded IS NOT NULL;
        CREATE INDEX scans_by_digest ON scans (digest, created_at, id) WHERE deletion IS NULL;
        CREATE INDEX scans_by_photo ON scans (photo_digest) WHERE photo_digest IS NOT NULL;
        CREATE INDEX scans_by_thumbnail ON scans (thumbnail_digest) WHERE thumbnail_digest IS NOT NULL;
        CREATE INDEX scans_deleted ON scans (deletion) WHERE deletion IS NOT NULL;

        """

    /// Running totals. A change adds a row instead of updating one, so that replicas never wait for each other.
    /// `compactTotals` merges the rows.
    private static let totals = """
        CREATE TABLE scan_totals (
            species TEXT COLLATE "C" NOT NULL,
            label TEXT COLLATE "C" NOT NULL,
            corrected BIGINT NOT NULL,
            abstained BIGINT NOT NULL,
            count BIGINT NOT NULL,
            bytes BIGINT NOT NULL
        );
        CREATE FUNCTION scan_totals_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            \(adding("added", sign: ""))
            RETURN NULL;
        END $$;
        CREATE FUNCTION scan_totals_subtract() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            \(adding("removed", sign: "-"))
            RETURN NULL;
        END $$;
        CREATE FUNCTION scan_totals_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
            \(adding("removed", sign: "-"))
            \(adding("added", sign: ""))
            RETURN NULL;
        END $$;
        CREATE TRIGGER scans_inserted AFTER INSERT ON scans REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION scan_totals_add();
        CREATE TRIGGER scans_removed AFTER DELETE ON scans REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION scan_totals_subtract();
        CREATE TRIGGER scans_changed AFTER UPDATE ON scans REFERENCING OLD TABLE AS removed NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION scan_totals_change();
        """

    private static func adding(_ table: String, sign: String) -> String {
        """
        INSERT INTO scan_totals
        SELECT species, label, CAST(corrected_label IS NOT NULL AS INTEGER), abstained,
            \(sign)COUNT(*), \(sign)SUM(photo_bytes)
        FROM \(table) WHERE deletion IS NULL GROUP BY 1, 2, 3, 4;
        """
    }

    /// Photos are compressed already, so the server need not compress them again.
    private static let photos = """
        CREATE TABLE photos (digest TEXT COLLATE "C" PRIMARY KEY, stored_at BIGINT NOT NULL, bytes BYTEA NOT NULL);
        ALTER TABLE photos ALTER COLUMN bytes SET STORAGE EXTERNAL;
        """

    /// Files and claims that replicas share; see `SharedFiles` and `JobClaims`.
    private static let replicas = """
        CREATE TABLE shared_files (path TEXT COLLATE "C" PRIMARY KEY, bytes BYTEA NOT NULL);
        ALTER TABLE shared_files ALTER COLUMN bytes SET STORAGE EXTERNAL;
        CREATE TABLE job_claims (
            job TEXT COLLATE "C" PRIMARY KEY,
            owner TEXT COLLATE "C" NOT NULL,
            held_until BIGINT NOT NULL
        );
        """

    /// Photos that several machines classify together; see `SharedRun`.
    private static let runs = """
        CREATE TABLE run_photos (
            run TEXT COLLATE "C" NOT NULL,
            photo TEXT COLLATE "C" NOT NULL,
            held_until BIGINT NOT NULL DEFAULT 0,
            failed BIGINT NOT NULL DEFAULT 0,
            answer TEXT,
            PRIMARY KEY (run, photo)
        );
        CREATE INDEX run_photos_open ON run_photos (run, photo) WHERE answer IS NULL;
        """

    /// An index for searching the notes, if the server has the extension and allows its creation. Without it, a search
    /// reads every note and finds the same.
    private static let trigrams = """
        DO $$ BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm;
        EXCEPTION WHEN undefined_file OR feature_not_supported OR insufficient_privilege OR undefined_object THEN
            RAISE NOTICE 'pg_trgm is not to be had: notes are searched without an index';
        END $$;
        """

    private static let individuals = """
        ALTER TABLE scans ADD COLUMN individual TEXT;
        CREATE INDEX scans_named ON scans (created_at, id) WHERE deletion IS NULL AND individual IS NOT NULL;
        """

    private static let laps = """
        CREATE TABLE lap_sessions (id TEXT COLLATE "C" PRIMARY KEY, document TEXT NOT NULL);
        CREATE TABLE lap_photos (
            session TEXT COLLATE "C" NOT NULL,
            lap BIGINT NOT NULL,
            photo TEXT NOT NULL,
            PRIMARY KEY (session, lap)
        );
        """

    private static let favourites = """
        CREATE TABLE favourites (article_id TEXT COLLATE "C" PRIMARY KEY, created_at BIGINT NOT NULL);
        """

    private static let jobs = """
        CREATE TABLE jobs (
            id TEXT COLLATE "C" PRIMARY KEY,
            kind TEXT COLLATE "C" NOT NULL,
            state TEXT COLLATE "C" NOT NULL,
            document TEXT NOT NULL
        );
        CREATE INDEX jobs_by_kind ON jobs (kind, id);
        """
}
