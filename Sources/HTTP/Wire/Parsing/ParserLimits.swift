/// All limits on a request. A request that exceeds one is refused, and its connection is closed.
package struct ParserLimits: Sendable, Hashable {
    /// Bytes of the request line without its line end; above: 414.
    package var requestLine = 8 * 1024
    /// Bytes of the method; above: 501 (RFC 9112 §3).
    package var method = 32
    /// Bytes of one field line; above: 431.
    package var fieldLine = 8 * 1024
    /// Bytes of all field lines of a head; above: 431.
    package var fields = 32 * 1024
    /// Number of field lines; above: 431.
    package var fieldCount = 100
    /// Bytes of a decoded body on a route without a limit of its own; above: 413.
    package var body = 64 * 1024 * 1024
    /// Bytes of all chunk extensions of a body; above: 400.
    package var chunkExtensions = 4 * 1024
    /// Bytes of all trailer field lines of a body; above: 431.
    package var trailers = 8 * 1024
    /// Empty lines tolerated before a request line (RFC 9112 §2.2); above: 400.
    package var leadingEmptyLines = 8
    /// Pipelined requests answered before other connections of the loop get their turn.
    package var pipelinedRequests = 128

    package static let standard = ParserLimits()
}
