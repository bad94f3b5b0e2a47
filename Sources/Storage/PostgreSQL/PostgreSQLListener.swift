internal import Base
internal import CPostgreSQL
internal import Foundation
internal import Logging

/// A thread with its own connection that waits for notices of other replicas (PostgreSQL: LISTEN, NOTIFY).
final class PostgreSQLListener: Sendable {
    static let channel = "menagerie"

    private let isClosed = Locked(false)

    /// - Parameter body: is called with each text, and with nil after a time in which texts may have been missed.
    init(connectionString: String, logger: Logger, _ body: @escaping @Sendable (String?) -> Void) {
        let thread = Thread { [isClosed] in
            var isFirst = true
            var isAway = false
            while !isClosed.withLock({ $0 }) {
                do {
                    let connection = try PostgreSQLConnection(connectionString)
                    try connection.command("LISTEN \(Self.channel)")
                    if isAway { logger.notice("Changes by other replicas are heard again") }
                    if !isFirst { body(nil) }
                    (isFirst, isAway) = (false, false)
                    while !isClosed.withLock({ $0 }), let texts = connection.notifications(within: 1_000) {
                        texts.forEach(body)
                    }
                } catch {
                    // Any failure is tried again. An outage is logged once.
                    if !isAway {
                        logger.warning("Changes by other replicas are not heard", metadata: ["error": "\(error)"])
                    }
                    isAway = true
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
    /// The texts that arrive within the time. Nil if the connection is lost.
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
