/// All limits on a request. A request that exceeds one is refused, and its connection is closed.
package struct ParserLimits: Sendable, Hashable {
    /// Bytes of the request line without its line end; above: 414.
    package var requestLine: Int
    /// Bytes of the method; above: 501 (RFC 9112 §3).
    package var method: Int
    /// Bytes of one field line; above: 431.
    package var fieldLine: Int
    /// Bytes of all field lines of a head; above: 431.
    package var fields: Int
    /// Number of field lines; above: 431.
    package var fieldCount: Int
    /// Bytes of a decoded body on a route without a limit of its own; above: 413.
    package var body: Int
    /// Bytes of all chunk extensions of a body; above: 400.
    package var chunkExtensions: Int
    /// Bytes of all trailer field lines of a body; above: 431.
    package var trailers: Int
    /// Empty lines tolerated before a request line (RFC 9112 §2.2); above: 400.
    package var leadingEmptyLines: Int
    /// Pipelined requests answered before other connections of the loop get their turn.
    package var pipelinedRequests: Int

    package init(
        requestLine: Int = 8 * 1024, method: Int = 32, fieldLine: Int = 8 * 1024, fields: Int = 32 * 1024,
        fieldCount: Int = 100, body: Int = 64 * 1024 * 1024, chunkExtensions: Int = 4 * 1024,
        trailers: Int = 8 * 1024, leadingEmptyLines: Int = 8, pipelinedRequests: Int = 128
    ) {
        self.requestLine = requestLine
        self.method = method
        self.fieldLine = fieldLine
        self.fields = fields
        self.fieldCount = fieldCount
        self.body = body
        self.chunkExtensions = chunkExtensions
        self.trailers = trailers
        self.leadingEmptyLines = leadingEmptyLines
        self.pipelinedRequests = pipelinedRequests
    }
}
