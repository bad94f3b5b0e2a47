import Foundation
package import History

/// The sessions that were ended before their time at any of the services that share a PostgreSQL database, in that database
/// until they would have been over.
package struct SharedSessions: Sendable {
    private static let folder = "sessions/ended/"

    private let files: SharedFiles

    package init(_ files: SharedFiles) {
        self.files = files
    }

    /// Once this returns, every service will have learnt of it when it looks next.
    func end(_ session: EndedSession) async throws(HistoryError) {
        let path = Self.path(session)
        guard session.number == nil, let key = session.key else {
            _ = try await files.add(path, [])
            return
        }
        // It stands for those of the key that were there before.
        try await files.remove(under: Self.folder(of: key), leaving: path)
    }

    /// Those that are not over yet. The others are forgotten.
    func ended(at now: Date) async throws(HistoryError) -> Set<EndedSession> {
        var ended: Set<EndedSession> = []
        for path in try await files.paths(under: Self.folder) {
            guard let session = Self.session(path) else { continue }
            if session.expires > now { ended.insert(session) } else { try await files.remove(under: path) }
        }
        return ended
    }

    private static func folder(of key: UInt64) -> String { "\(folder)\(String(key, radix: 16))/" }

    /// `sessions/ended/KEY/SECONDS-NUMBER`, with `all` for the number of all; releases of before had no key in it.
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
