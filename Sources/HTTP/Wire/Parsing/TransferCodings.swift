/// The transfer codings of a request, from all its Transfer-Encoding fields (RFC 9112 §6.1).
struct TransferCodings: Sendable {
    private var chunkedCount = 0
    private var isChunkedLast = false
    private var hasOther = false
    private var hasUnknown = false

    mutating func read(_ value: UnsafeRawBufferPointer) throws(ParserError) {
        var isMalformed = false
        value.forEachListElement { coding in
            isChunkedLast = coding.equals("chunked")
            if isChunkedLast {
                chunkedCount += 1
                return
            }
            let name = UnsafeRawBufferPointer(rebasing: coding.prefix { $0 != UInt8(ascii: ";") })
            let isToken = !name.isEmpty && name.allSatisfy { ByteClass.isToken($0) || ByteClass.isBlank($0) }
            if !isToken || name.equals("chunked") { isMalformed = true }
            hasOther = true
            let known =
                name.equals("gzip") || name.equals("x-gzip") || name.equals("deflate") || name.equals("compress")
            if !known { hasUnknown = true }
        }
        if isMalformed { throw .malformed("Transfer-Encoding has to be a list of coding names.") }
    }

    /// Accepts only a single "chunked".
    func check() throws(ParserError) {
        guard chunkedCount <= 1 else { throw .malformed("The chunked coding is applied more than once.") }
        guard hasOther || chunkedCount == 1 else { throw .malformed("The Transfer-Encoding field is empty.") }
        if chunkedCount == 1, !isChunkedLast { throw .malformed("Chunked has to be the last transfer coding.") }
        if hasUnknown || (hasOther && isChunkedLast) {
            throw ParserError(.notImplemented, "The only transfer coding understood is chunked.")
        }
        guard isChunkedLast else { throw .malformed("Chunked has to be the last transfer coding.") }
    }
}
