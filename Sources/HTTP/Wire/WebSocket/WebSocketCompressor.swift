/// Packs and unpacks the messages of one connection (RFC 7692 §7.2). Only one thread may use it at a time.
///
/// The streams are made when first needed: a connection whose messages are never packed costs no memory for them.
final class WebSocketCompressor {
    enum Failure: Error, Hashable {
        case tooLarge
        case corrupt
        /// zlib had no memory.
        case unavailable
    }

    /// The end of a flushed stream, which is omitted on the wire (§7.2.1).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let agreed: WebSocketDeflate
    private var deflater: Deflater?
    private var inflater: Inflater?

    init(_ agreed: WebSocketDeflate) {
        self.agreed = agreed
    }

    /// Packs a whole message.
    func compress(_ message: [UInt8]) throws(CompressionError) -> [UInt8] {
        // An empty message is one empty block (§7.2.3.6).
        if message.isEmpty { return [0x00] }
        let deflater = try readyDeflater()
        var packed: [UInt8] = []
        packed.reserveCapacity(message.count / 2 + 64)
        try deflater.deflate(message, flush: .sync, into: &packed)
        packed.removeLast(Self.tail.count)
        if agreed.serverNoContextTakeover { deflater.reset() }
        return packed
    }

    /// Unpacks a piece of a message and appends it.
    /// - Parameter limit: the largest size of `message` afterwards, in bytes.
    func decompress(_ piece: [UInt8], into message: inout [UInt8], limit: Int) throws(Failure) {
        let inflater: Inflater
        do throws(CompressionError) {
            inflater = try readyInflater()
        } catch {
            throw .unavailable
        }
        do throws(Inflater.Failure) {
            try inflater.inflate(piece, into: &message, limit: limit)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge
            case .corrupt: throw .corrupt
            }
        }
    }

    /// Unpacks the end of a message.
    func finishMessage(into message: inout [UInt8], limit: Int) throws(Failure) {
        try decompress(Self.tail, into: &message, limit: limit)
        if agreed.clientNoContextTakeover { inflater?.reset() }
    }

    /// The window may be smaller than agreed: 4 KiB are enough for small JSON, and cost a fraction of the memory.
    private func readyDeflater() throws(CompressionError) -> Deflater {
        if let deflater { return deflater }
        let made = try Deflater(format: .raw, windowBits: min(agreed.serverMaxWindowBits ?? 15, 12), memoryLevel: 5)
        deflater = made
        return made
    }

    private func readyInflater() throws(CompressionError) -> Inflater {
        if let inflater { return inflater }
        let made = try Inflater(windowBits: agreed.clientMaxWindowBits ?? 15)
        inflater = made
        return made
    }
}
