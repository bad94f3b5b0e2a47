import Base

/// Packs and unpacks the messages of one connection (RFC 7692 §7.2). Only one thread may use it at a time.
///
/// The streams are made when first needed: a connection whose messages are never packed costs no memory for them.
final class WebSocketCompressor {
    /// The end of a flushed stream, which is omitted on the wire (§7.2.1).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let agreed: WebSocketDeflate
    /// The window may be smaller than agreed: 4 KiB are enough for small JSON, and cost a fraction of the memory.
    private lazy var deflater = try? Deflater(
        format: .raw, windowBits: min(agreed.serverMaxWindowBits ?? 15, 12), memoryLevel: 5)
    private lazy var inflater = try? Inflater(windowBits: agreed.clientMaxWindowBits ?? 15)

    init(_ agreed: WebSocketDeflate) {
        self.agreed = agreed
    }

    /// Packs a whole message; nil if zlib has no memory.
    func compress(_ message: [UInt8]) -> [UInt8]? {
        // An empty message is one empty block (§7.2.3.6).
        if message.isEmpty { return [0x00] }
        var packed: [UInt8] = []
        packed.reserveCapacity(message.count / 2 + 64)
        guard let deflater, (try? deflater.deflate(message, flush: .sync, into: &packed)) != nil else { return nil }
        packed.removeLast(Self.tail.count)
        if agreed.serverNoContextTakeover { deflater.reset() }
        return packed
    }

    /// Unpacks a piece of a message and appends it.
    /// - Parameter limit: the largest size of `message` afterwards, in bytes.
    func decompress(_ piece: [UInt8], into message: inout [UInt8], limit: Int) throws(Inflater.Failure) {
        guard let inflater else { throw .unavailable }
        try inflater.inflate(piece, into: &message, limit: limit)
    }

    /// Unpacks the end of a message.
    func finishMessage(into message: inout [UInt8], limit: Int) throws(Inflater.Failure) {
        try decompress(Self.tail, into: &message, limit: limit)
        if agreed.clientNoContextTakeover { inflater?.reset() }
    }
}
