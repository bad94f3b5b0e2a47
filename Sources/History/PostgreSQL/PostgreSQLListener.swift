internal import Base
internal import CPostgreSQL
internal import Foundation

/// A thread with a connection of its own that waits for what other replicas tell (PostgreSQL: LISTEN, NOTIFY).
final class PostgreSQLListener: Sendable {
    static let channel = "menagerie"

    private let isClosed = Locked(false)

    /// - Parameter body: is told each text, and nil after a time in which none would have arrived.
    init(connectionString: String, _ body: @escaping @Sendable (String?) -> Void) {
        let thread = Thread { [isClosed] in
            var isFirst = true
            while !isClosed.withLock({ $0 }) {
                // Whatever is wrong, a server that is away or a connection that broke, is tried again.
                if let connection = try? PostgreSQLConnection(connectionString),
                    (try? connection.command("LISTEN \(Self.channel)")) != nil
                {
                    if !isFirst { body(nil) }
                    isFirst = false
                    while !isClosed.withLock({ $0 }), let texts = connection.notifications(within: 1_000) {
                        texts.forEach(body)
                    }
                }
                Thread.sleep(forTimeInterval: .random(in: 0.5...1))
            }
        }
        thread.name = "menagerie.history.postgresql.listen"
        thread.stackSize = 1_024 * 1_024
        thread.start()
    }

    /// Ends the thread within a second or so.
    func close() { isClosed.withLock { $0 = true } }
}

extension PostgreSQLConnection {
    /// What was told, waiting so many milliseconds for it; nil where the connection is lost.
    fileprivate func notifications(within milliseconds: Int32) -> [String]? {
        var wanted = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        guard wanted.fd >= 0, poll(&wanted, 1, milliseconds) >= 0 || errno == EINTR, PQconsumeInput(connection) == 1
        else { return nil }
        var texts: [String] = []
        while let notice = PQnotifies(connection) {
            texts.append(String(cString: notice.pointee.extra))
            PQfreemem(notice)
        }
        return texts
    }
}
