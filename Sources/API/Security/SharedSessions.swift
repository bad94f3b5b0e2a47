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
    func end(_ number: UInt64, expires: Date) async throws(HistoryError) {
        _ = try await files.add(Self.path(number, expires), [])
    }

    /// Those that are not over yet, by their numbers, with the time when they will be. The others are forgotten.
    func ended(at now: Date) async throws(HistoryError) -> [UInt64: Date] {
        var ended: [UInt64: Date] = [:]
        for path in try await files.paths(under: Self.folder) {
            let words = path.dropFirst(Self.folder.count).split(separator: "-")
            guard words.count == 2, let number = UInt64(words[1], radix: 16), let seconds = Int64(words[0]) else {
                continue
            }
            let expires = Date(timeIntervalSince1970: TimeInterval(seconds))
            if expires > now { ended[number] = expires } else { try await files.remove(under: path) }
        }
        return ended
    }

    private static func path(_ number: UInt64, _ expires: Date) -> String {
        "\(folder)\(Int64(expires.timeIntervalSince1970))-\(String(number, radix: 16))"
    }
}
