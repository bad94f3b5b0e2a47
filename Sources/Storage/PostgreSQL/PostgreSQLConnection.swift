internal import Base
internal import CPostgreSQL
internal import Foundation

/// An error that the server or libpq reported.
struct PostgreSQLError: Error {
    /// SQLSTATE, five characters (PostgreSQL, appendix A). Nil if libpq itself failed.
    var state: String?
    var message: String
    var isConnectionLost: Bool

    /// Whether the same transaction may succeed on a second try.
    var isWorthRepeating: Bool {
        // 40001 is a serialization failure, 40P01 a deadlock.
        isConnectionLost || state == "40001" || state == "40P01"
    }

    /// Whether the server of this connection only reads, as a standby does. After a failover another one writes.
    var isOfReader: Bool { state == "25006" }
}

/// One connection to a server. Every call blocks. Only one thread may use it at a time.
final class PostgreSQLConnection: SQLConnection {
    let lockingClause = " FOR UPDATE"
    let sizeQuery = "SELECT pg_database_size(current_database()) - pg_total_relation_size('photos')"

    let connection: OpaquePointer
    /// The longest wait for an answer, in seconds. The server ends its statements earlier, so one that is silent for as
    /// long has stopped, even if its machine still acknowledges every packet. Nil has no limit beside ``silence``.
    var answerTimeout: TimeInterval? = 75
    /// The silence in seconds after which the server is asked whether it takes connections. A server that works on a
    /// long statement does; a frozen one does not.
    var silence: TimeInterval = 5
    private let keywords: PostgreSQLParameters
    private let values: PostgreSQLParameters
    /// Names of prepared statements, by their text with `?` for parameters.
    private var statements: [String: String] = [:]
    /// Whether this connection has found the table of notes ready. It stays ready from then on.
    private var hasNoteTable = false

    func noteContains(_ text: String) throws -> (table: String, condition: String, values: [SQLValue]) {
        if let search = try notesContaining(text) {
            return ("scans", "id IN (SELECT id FROM scan_notes WHERE \(search.condition))", search.values)
        }
        return ("scans", "note_folded LIKE ?", [.text(Self.pattern(text))])
    }

    /// Searches with `LIKE`, which a trigram index serves if the server has the extension. A text of two characters has
    /// no trigrams; the index, with its own collation, would only hinder its search.
    func notesContaining(_ text: String) throws -> NoteSearch? {
        if !hasNoteTable { hasNoteTable = try NoteTable.isReady(self) }
        guard hasNoteTable else { return nil }
        let note = text.unicodeScalars.count < 3 ? "note_folded COLLATE \"C\"" : "note_folded"
        return NoteSearch(condition: "\(note) LIKE ?", values: [.text(Self.pattern(text))], hasTimes: true)
    }

    /// The `LIKE` pattern that matches any text that contains the given one.
    private static func pattern(_ text: String) -> String {
        // The backslash comes first, since the others get one.
        let pattern = ["\\", "%", "_"].reduce(text) { $0.replacing(scalar: $1, with: "\\\($1)") }
        return "%\(pattern)%"
    }

    /// Connects with a connection string or URI (PostgreSQL, 34.1.1). It sets timeouts that the string leaves open, so
    /// that a vanished server is noticed.
    init(_ connectionString: String) throws {
        guard Self.isReadable(connectionString) else {
            throw PostgreSQLError(
                state: nil,
                message: "the server's address is not of the form postgresql://user:password@host/database; "
                    + "what is special in a password has to be percent-encoded (@ is %40)",
                isConnectionLost: false)
        }
        // Later keywords win: the connection string can override all of these.
        let settings = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "15000"), ("keepalives_idle", "10"),
            ("application_name", "menagerie"), ("dbname", connectionString),
        ]
        keywords = PostgreSQLParameters(settings.map { .text($0.0) })
        values = PostgreSQLParameters(settings.map { .text($0.1) })
        guard let connection = PQconnectdbParams(keywords.pointers, values.pointers, 1) else {
            throw PostgreSQLError(state: nil, message: "out of memory", isConnectionLost: true)
        }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else { throw failure(nil) }
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        // An acknowledged commit must be on the disk, even if the server's configuration prefers speed.
        _ = try rows(
            """
            SELECT set_config('synchronous_commit', 'on', false) \
            WHERE current_setting('synchronous_commit') IN ('off', 'local')
            """, [])
        try command("SET statement_timeout = '60s'")
        try command("SET idle_in_transaction_session_timeout = '60s'")
    }

    deinit { PQfinish(connection) }

    /// Whether libpq can parse the whole string. libpq quotes what it cannot parse in its errors, including the
    /// password. It also takes everything after an unescaped @ in a password for the host.
    private static func isReadable(_ connectionString: String) -> Bool {
        let isURI = ["postgresql://", "postgres://"].contains { connectionString.hasPrefix($0) }
        guard isURI || connectionString.contains("=") else {
            // This is only the name of a database.
            return connectionString.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        }
        if isURI {
            let authority = connectionString.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
            guard authority.count(where: { $0 == "@" }) < 2 else { return false }
        }
        guard let options = PQconninfoParse(connectionString, nil) else { return false }
        PQconninfoFree(options)
        return true
    }

    func becomesJanitor() throws -> Bool {
        try integer("SELECT CAST(pg_try_advisory_xact_lock(\(PostgreSQLMigrations.janitorLock)) AS INTEGER)", []) == 1
    }

    func notify(_ text: String) throws {
        _ = try rows("SELECT pg_notify('\(PostgreSQLListener.channel)', ?)", [.text(text)])
    }

    /// Runs statements without parameters.
    func command(_ sql: String) throws {
        let result = try answer(PQsendQuery(connection, sql))
        defer { PQclear(result) }
        try check(result)
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws -> [[SQLValue]] {
        let result = try run(sql, values)
        defer { PQclear(result) }
        let columns = PQnfields(result)
        return (0..<PQntuples(result)).map { row in
            (0..<columns).map { column in
                if PQgetisnull(result, row, column) == 1 { return .null }
                guard let bytes = PQgetvalue(result, row, column) else { return .null }
                let type = PQftype(result, column)
                if type == Self.byteType { return .bytes(Self.unescaped(bytes)) }
                let text = String(cString: bytes)
                return Self.integerTypes.contains(type) ? Int64(text).map(SQLValue.integer) ?? .null : .text(text)
            }
        }
    }

    @discardableResult func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        let result = try run(sql, values)
        defer { PQclear(result) }
        guard let count = PQcmdTuples(result) else { return 0 }
        return Int(String(cString: count)) ?? 0
    }

    /// The types int2, int4 and int8 in the catalogue `pg_type`.
    private static let integerTypes: Set<UInt32> = [20, 21, 23]
    /// The type bytea in the catalogue `pg_type`.
    private static let byteType: UInt32 = 17

    /// Decodes hexadecimal digits, the text form of bytea.
    private static func unescaped(_ text: UnsafePointer<CChar>) -> [UInt8] {
        var count = 0
        let bytes = text.withMemoryRebound(to: UInt8.self, capacity: strlen(text) + 1) { PQunescapeBytea($0, &count) }
        guard let bytes else { return [] }
        defer { PQfreemem(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func run(_ sql: String, _ values: [SQLValue]) throws -> OpaquePointer? {
        let parameters = PostgreSQLParameters(values)
        let count = Int32(values.count)
        // The best plan depends on how rare the text is. A prepared statement would after a while use one generic plan
        // for all texts.
        let isSent =
            if sql.contains("LIKE ?") {
                PQsendQueryParams(
                    connection, Self.numbered(sql), count, nil, parameters.pointers, parameters.lengths,
                    parameters.formats, 0)
            } else {
                PQsendQueryPrepared(
                    connection, try prepared(sql), count, parameters.pointers, parameters.lengths, parameters.formats, 0
                )
            }
        let result = try answer(isSent)
        do {
            try check(result)
        } catch {
            PQclear(result)
            throw error
        }
        return result
    }

    private func prepared(_ sql: String) throws -> String {
        if let name = statements[sql] { return name }
        let name = "menagerie_\(statements.count)"
        let result = try answer(PQsendPrepare(connection, name, Self.numbered(sql), 0, nil))
        defer { PQclear(result) }
        try check(result)
        statements[sql] = name
        return name
    }

    /// Waits for the last result of what was sent, as PQexec does, which has no timeout.
    private func answer(_ isSent: Int32) throws -> OpaquePointer? {
        guard isSent == 1 else { throw failure(nil) }
        let deadline = answerTimeout.map { ContinuousClock.now + .seconds($0) }
        var last: OpaquePointer?
        do {
            while true {
                while PQisBusy(connection) == 1 { try receive(until: deadline) }
                guard let next = PQgetResult(connection) else { return last }
                PQclear(last)
                last = next
            }
        } catch {
            PQclear(last)
            throw error
        }
    }

    private func receive(until deadline: ContinuousClock.Instant?) throws {
        var wanted = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let left = deadline.map { ($0 - .now) / .seconds(1) } ?? .infinity
        let count = poll(&wanted, 1, Int32(clamping: (min(max(0, left), silence) * 1000).rounded(.up)))
        if count < 0, errno == EINTR { return }
        guard count != 0 else {
            if left > silence, PQpingParams(keywords.pointers, values.pointers, 1) != PQPING_NO_RESPONSE { return }
            throw PostgreSQLError(state: nil, message: "the server does not answer", isConnectionLost: true)
        }
        guard PQconsumeInput(connection) == 1 else { throw failure(nil) }
    }

    /// Replaces `?` by `$1`, `$2` … Our statements contain no `?` in literals.
    private static func numbered(_ sql: String) -> String {
        var number = 0
        return sql.split(separator: "?", omittingEmptySubsequences: false).dropFirst().reduce(
            String(sql.prefix { $0 != "?" })
        ) { text, part in
            number += 1
            return text + "$\(number)" + part
        }
    }

    private func check(_ result: OpaquePointer?) throws {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
        default: throw failure(result)
        }
    }

    private func failure(_ result: OpaquePointer?) -> PostgreSQLError {
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
        let said = PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? PQerrorMessage(connection)
        let message = said.map { String(cString: $0) } ?? "no answer"
        // 57P01 to 57P03: the server is stopping or not yet ready. Without a state, libpq itself failed, perhaps before
        // it marks the connection as bad.
        let isStopping = state.map { $0.hasPrefix("57P0") || $0.hasPrefix("08") } ?? true
        return PostgreSQLError(
            state: state, message: message.split(separator: "\n").first.map(String.init) ?? message,
            isConnectionLost: isStopping || PQstatus(connection) != CONNECTION_OK)
    }
}
