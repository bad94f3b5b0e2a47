/// The tables. Never edit a released migration; add a new one.
enum PostgreSQLMigrations {
    /// The advisory locks of Menagerie (`MENA` in ASCII, and a number).
    private static let migrationLock: Int64 = 0x4D45_4E41_0000_0001
    private static let compactionLock: Int64 = 0x4D45_4E41_0000_0002

    static let janitorLock: Int64 = 0x4D45_4E41_0000_0003

    /// Texts are compared byte by byte, whatever the collation of the database.
    ///
    /// `thumbnail_digest` is unused. It stays because replicas are upgraded one after the other, and those of release
    /// 1.0 write a null to it.
    private static let common = CommonTables(
        text: "TEXT COLLATE \"C\"", number: "BIGINT", sequence: "BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE",
        id: "PRIMARY KEY", ending: "")

    private static let migrations = [
        common.scans + totals, common.favourites, common.jobs, common.laps, CommonTables.individuals, photos, replicas,
        runs, trigrams, NoteTable.tables, ScanRecord.refolding,
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
}
