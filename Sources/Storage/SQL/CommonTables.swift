/// The migrations that make the same tables in SQLite and PostgreSQL. Never edit one.
struct CommonTables {
    /// The type of a text that is compared byte by byte.
    let text: String
    /// The type of an integer of 64 bits.
    let number: String
    /// The type of a number that counts the rows.
    let sequence: String
    /// The constraint on the ids of scans.
    let id: String
    /// What follows the columns of a small table.
    let ending: String

    /// Every index that serves a list ends in (created_at, id), so that reading a page costs the same for any number of
    /// scans. The indexes are partial, so that they contain no deleted scans.
    var scans: String {
        """
        CREATE TABLE scans (
            sequence \(sequence),
            id \(text) \(id),
            created_at \(number) NOT NULL,
            species \(text) NOT NULL,
            label \(text) NOT NULL,
            abstained \(number) NOT NULL,
            corrected_label TEXT,
            note TEXT,
            note_folded TEXT,
            digest \(text) NOT NULL,
            photo_digest \(text),
            thumbnail_digest \(text),
            photo_bytes \(number) NOT NULL,
            idempotency_key \(text) UNIQUE,
            deletion \(text),
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
    }

    var favourites: String {
        "CREATE TABLE favourites (article_id \(text) NOT NULL PRIMARY KEY, created_at \(number) NOT NULL)\(ending);"
    }

    /// Long work, such as on videos.
    var jobs: String {
        """
        CREATE TABLE jobs (
            id \(text) NOT NULL PRIMARY KEY,
            kind \(text) NOT NULL,
            state \(text) NOT NULL,
            document TEXT NOT NULL
        )\(ending);
        CREATE INDEX jobs_by_kind ON jobs (kind, id);
        """
    }

    /// A session of the lap timer as one document, and its pictures in base 64.
    var laps: String {
        """
        CREATE TABLE lap_sessions (id \(text) NOT NULL PRIMARY KEY, document TEXT NOT NULL)\(ending);
        CREATE TABLE lap_photos (
            session \(text) NOT NULL,
            lap \(number) NOT NULL,
            photo TEXT NOT NULL,
            PRIMARY KEY (session, lap)
        );
        """
    }

    /// The names of individual animals.
    static let individuals = """
        ALTER TABLE scans ADD COLUMN individual TEXT;
        CREATE INDEX scans_named ON scans (created_at, id) WHERE deletion IS NULL AND individual IS NOT NULL;
        """
}
