import Base

/// Packs what is written to a streaming response.
final class GzipWriter: Sendable {
    private let output: ResponseBodyWriter
    /// Writes of one response come one after another. The lock keeps the deflater safe if they ever do not.
    private let deflater: Locked<Deflater>

    init(_ output: ResponseBodyWriter) throws(CompressionError) {
        self.output = output
        deflater = Locked(try Deflater(format: .gzip))
    }

    /// - Parameter flush: whether the receiver must be able to read all of it at once.
    func write(_ bytes: [UInt8], flush: Bool) async throws {
        if !bytes.isEmpty { try await send(bytes, flush ? .sync : .none) }
    }

    func finish() async throws {
        try await send([], .finish)
    }

    private func send(_ bytes: [UInt8], _ flush: Deflater.Flush) async throws {
        let packed = try deflater.withLock { deflater in
            var packed: [UInt8] = []
            try deflater.deflate(bytes, flush: flush, into: &packed)
            return packed
        }
        // An empty chunk would end a chunked body.
        if !packed.isEmpty { try await output.write(packed) }
    }
}
