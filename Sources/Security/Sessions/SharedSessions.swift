import Foundation
import Storage

/// The sessions that were ended early at services that share a PostgreSQL database. They stay in that database until
/// they would have expired.
package struct SharedSessions: Sendable {
    private static let folder = "sessions/ended/"

    let files: SharedFiles

    /// Records the end of a session. Every service learns of it at its next reading.
    func end(_ session: EndedSession) async throws(HistoryError) {
        let path = Self.path(session)
        guard session.number == nil, let key = session.key else {
            _ = try await files.add(path, [])
            return
        }
        // This entry replaces the key's earlier entries.
        try await files.remove(under: Self.folder(of: key), leaving: path)
    }

    /// The ended sessions that have not expired. Those that have expired by the database's clock are deleted, since the
    /// clock of one replica may be far ahead.
    func ended(at now: Date) async throws(HistoryError) -> Set<EndedSession> {
        let sessions = try await files.paths(under: Self.folder).compactMap(Self.session)
        let expired = sessions.filter { $0.expires <= now }
        if !expired.isEmpty {
            let now = try await files.now()
            for session in expired where session.expires <= now { try await files.remove(under: Self.path(session)) }
        }
        return Set(sessions).subtracting(expired)
    }

    private static func folder(of key: UInt64) -> String { "\(folder)\(String(key, radix: 16))/" }

    /// The path `sessions/ended/KEY/SECONDS-NUMBER`, with `all` as the number for all sessions. Earlier releases had no
    /// key in it.
    private static func path(_ session: EndedSession) -> String {
        let name = session.number.map { String($0, radix: 16) } ?? "all"
        return (session.key.map(folder(of:)) ?? folder) + "\(Int64(session.expires.timeIntervalSince1970))-\(name)"
    }

    private static func session(_ path: String) -> EndedSession? {
        let parts = path.dropFirst(folder.count).split(separator: "/")
        let words = parts.last?.split(separator: "-") ?? []
        guard parts.count <= 2, words.count == 2, let seconds = Int64(words[0]) else { return nil }
        let key = parts.count == 2 ? UInt64(parts[0], radix: 16) : nil
        let number = UInt64(words[1], radix: 16)
        guard parts.count == 1 || key != nil, number != nil || words[1] == "all" && key != nil else { return nil }
        return EndedSession(key: key, number: number, expires: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}

extension SharedKeys {
    /// The record of ended sessions, in the same database.
    package var sessions: SharedSessions { SharedSessions(files: files) }
}
