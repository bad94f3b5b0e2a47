package import Base
internal import Foundation

extension HistoryRepository {
    /// Saves a session of the lap timer and replaces its earlier state.
    package func saveLaps(_ record: LapRecord) async throws(HistoryError) {
        try await database.execute(
            """
            INSERT INTO lap_sessions (id, document) VALUES (?, ?) \
            ON CONFLICT (id) DO UPDATE SET document = excluded.document
            """, [.text(record.id.description), .text(record.document)])
    }

    /// Replaces the state of a session.
    ///
    /// - Returns: false, without a change, if the session was deleted.
    package func changeLaps(_ record: LapRecord) async throws(HistoryError) -> Bool {
        try await database.execute(
            "UPDATE lap_sessions SET document = ? WHERE id = ?",
            [.text(record.document), .text(record.id.description)]) > 0
    }

    /// Every session of the lap timer, newest first.
    package func laps() async throws(HistoryError) -> [LapRecord] {
        try await database.rows("SELECT id, document FROM lap_sessions ORDER BY id DESC", []).compactMap { row in
            guard let id = row[0].text.flatMap({ ULID($0) }), let document = row[1].text else { return nil }
            return LapRecord(id: id, document: document)
        }
    }

    /// Deletes a session with its pictures. An unknown id changes nothing.
    package func deleteLaps(id: ULID) async throws(HistoryError) {
        try await database.free { connection in
            // Whoever saves a picture meanwhile holds the session's row until the picture is there to be deleted.
            _ = try connection.execute("DELETE FROM lap_sessions WHERE id = ?", [.text(id.description)])
            _ = try connection.execute("DELETE FROM lap_photos WHERE session = ?", [.text(id.description)])
        }
    }

    /// Saves the picture of a lap, a JPEG. A session that was deleted gets none.
    package func saveLapPhoto(_ photo: [UInt8], session: ULID, lap: Int) async throws(HistoryError) {
        let text = Data(photo).base64EncodedString()
        try await database.write { connection in
            let id = SQLValue.text(session.description)
            let sessions = "SELECT id FROM lap_sessions WHERE id = ?" + connection.lockingClause
            guard try !connection.rows(sessions, [id]).isEmpty else { return }
            _ = try connection.execute(
                """
                INSERT INTO lap_photos (session, lap, photo) VALUES (?, ?, ?) \
                ON CONFLICT (session, lap) DO UPDATE SET photo = excluded.photo
                """, [id, .integer(Int64(lap)), .text(text)])
        }
    }

    /// The picture of a lap, or nil if none was saved.
    package func lapPhoto(session: ULID, lap: Int) async throws(HistoryError) -> [UInt8]? {
        try await database.read { connection in
            try connection.rows(
                "SELECT photo FROM lap_photos WHERE session = ? AND lap = ?",
                [.text(session.description), .integer(Int64(lap))]
            ).first?[0].text.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
        }
    }

    /// Deletes the picture of a lap. A lap without a picture changes nothing.
    package func deleteLapPhoto(session: ULID, lap: Int) async throws(HistoryError) {
        try await database.free { connection in
            _ = try connection.execute(
                "DELETE FROM lap_photos WHERE session = ? AND lap = ?",
                [.text(session.description), .integer(Int64(lap))])
        }
    }
}

/// A session of the lap timer as the store keeps it. Only the timer reads the document.
package struct LapRecord: Hashable, Sendable {
    package let id: ULID
    /// The session as JSON.
    package var document: String

    package init(id: ULID, document: String) {
        self.id = id
        self.document = document
    }
}
