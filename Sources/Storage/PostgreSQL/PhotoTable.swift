internal import Base
internal import Foundation

/// Photos as rows of the database that keeps their scans, so that every replica can read and remove them.
///
/// A save stores photo and row in one transaction; see `PostgreSQLWriter`. Until the transaction ends, it protects the
/// photos that it names against removal.
final class PhotoTable: PhotoRepository {
    private let database: any SQLDatabase
    /// Photos that an earlier release kept as files. They become rows, one part after another. Nil if there are none.
    private let files: PhotoStore?

    /// The number of photos that one transaction removes.
    private static let step = 200

    init(database: any SQLDatabase, files: PhotoStore?) {
        self.database = database
        self.files = files
    }

    func pin(_ photos: [[UInt8]]) throws(HistoryError) -> [PhotoFile] {
        try PhotoFile.of(photos, maximumBytes: PhotoStore.defaultMaximumBytes)
    }

    /// Does nothing: the database knows which photos are being saved.
    func unpin(_ digests: [ContentDigest]) {}

    func write(_ writes: [PhotoFile]) async throws(HistoryError) -> Bool {
        writes.isEmpty ? false : try await database.write(after: writes, row: nil) { _ in true }.foundPhoto
    }

    func read(_ digest: ContentDigest) async throws(HistoryError) -> [UInt8] {
        let rows = try await database.rows("SELECT bytes FROM photos WHERE digest = ?", [.text(digest.hexadecimal)])
        guard let bytes = rows.first?.first?.bytes else {
            guard let files else { throw .missingPhoto(path: Self.place(digest)) }
            return try await files.read(digest)
        }
        guard ContentDigest(of: bytes) == digest else { throw .corruptPhoto(path: Self.place(digest)) }
        return bytes
    }

    func contains(_ digests: [ContentDigest]) async throws(HistoryError) -> Bool {
        let missing = try await database.read { connection in
            try digests.filter { digest in
                try connection.integer("SELECT COUNT(*) FROM photos WHERE digest = ?", [.text(digest.hexadecimal)]) == 0
            }
        }
        if missing.isEmpty { return true }
        return try await files?.contains(missing) ?? false
    }

    // MARK: Upkeep

    func collect(
        _ digests: [ContentDigest], age: Int, referenced: Referenced
    ) async throws(HistoryError) -> CollectedPhotos {
        var collected = CollectedPhotos()
        for start in stride(from: 0, to: digests.count, by: Self.step) {
            let list = digests[start..<min(start + Self.step, digests.count)].map(\.hexadecimal).joined(separator: ",")
            collected += try await remove("digest = ANY(string_to_array(?, ','))", [.text(list)], age: age)
        }
        return collected
    }

    func sweep(_ parts: Range<Int>, age: Int, referenced: Referenced) async throws(HistoryError) -> CollectedPhotos {
        var collected = CollectedPhotos()
        for part in parts.map({ $0 % PhotoStore.directoryCount }) {
            try await takeOver(part)
            // "g" sorts after every digest.
            let bounds = [part, part + 1].map { $0 > 255 ? "g" : String(format: "%02x", $0) }
            while case let removed = try await remove(
                "digest >= ? AND digest < ?", bounds.map(SQLValue.text), age: age), removed.count > 0
            {
                collected += removed
            }
        }
        return collected
    }

    /// Turns the files of a part into rows.
    private func takeOver(_ part: Int) async throws(HistoryError) {
        guard let files else { return }
        for digest in try await files.digests(inPart: part) {
            // `verify` reports a damaged file. A missing one was moved by another replica.
            guard let photo = try await files.readIfIntact(digest) else { continue }
            _ = try await store([photo])
            try await files.remove(digest)
        }
    }

    /// Removes some of the photos that match the condition and that no scan names. The first statement locks them and
    /// so waits for saves in progress that name them. The second statement sees the rows that those saves committed.
    private func remove(
        _ condition: String, _ values: [SQLValue], age: Int
    ) async throws(HistoryError) -> CollectedPhotos {
        let sizes = try await database.write { connection -> [SQLValue] in
            guard try connection.becomesJanitor() else { return [] }
            let unnamed = "NOT EXISTS (SELECT 1 FROM scans WHERE photo_digest = photos.digest)"
            let locked = try connection.rows(
                """
                SELECT digest FROM photos WHERE \(condition) AND stored_at <= \(Self.now) - ? AND \(unnamed) \
                ORDER BY digest LIMIT \(Self.step) FOR UPDATE
                """, values + [.integer(Int64(age))])
            guard !locked.isEmpty else { return [] }
            let list = locked.compactMap { $0[0].text }.joined(separator: ",")
            return try connection.rows(
                """
                DELETE FROM photos WHERE digest = ANY(string_to_array(?, ',')) AND \(unnamed) \
                RETURNING octet_length(bytes)
                """, [.text(list)]
            ).map { $0[0] }
        }
        return CollectedPhotos(count: sizes.count, bytes: sizes.reduce(0) { $0 + Int($1.integer ?? 0) })
    }

    func verify() async throws(HistoryError) -> (photos: Int, damaged: [String]) {
        var (photos, damaged) = (0, [String]())
        if let files { (photos, damaged) = try await files.verify() }
        var last = ""
        while true {
            let rows = try await database.rows(
                """
                SELECT digest, CAST(encode(sha256(bytes), 'hex') = digest AS INTEGER) FROM photos \
                WHERE digest > ? ORDER BY digest LIMIT \(Self.step)
                """, [.text(last)])
            guard let end = rows.last?[0].text else { return (photos, damaged) }
            last = end
            photos += rows.count
            for row in rows where row[1].integer == 0 {
                damaged.append("the photo \(row[0].text ?? "") of the PostgreSQL database")
            }
        }
    }

    func close() async { await files?.close() }

    // MARK: Statements

    /// Seconds since 1970, by the clock that all replicas share.
    private static let now = "CAST(extract(epoch FROM now()) AS BIGINT)"

    /// Stores a photo and locks it until the transaction ends. Returns whether it existed before.
    static func store(_ photo: PhotoFile, _ connection: any SQLConnection) throws -> Bool {
        let digest = SQLValue.text(photo.digest.hexadecimal)
        while true {
            let inserted = try connection.execute(
                "INSERT INTO photos (digest, stored_at, bytes) VALUES (?, \(now), ?) ON CONFLICT DO NOTHING",
                [digest, .bytes(photo.bytes)])
            if inserted > 0 { return false }
            if try !connection.rows("SELECT 1 FROM photos WHERE digest = ? FOR KEY SHARE", [digest]).isEmpty {
                return true
            }
            // The photo was removed between the two statements.
        }
    }

    private static func place(_ digest: ContentDigest) -> String { "the PostgreSQL database (\(digest.hexadecimal))" }
}
