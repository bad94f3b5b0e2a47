import CZlib

/// Expands packed content (RFC 9110 §8.4.1) a piece at a time, so that a few packed bytes never become much memory
/// before somebody counts them. Only one thread may use it at a time.
final class ContentDecoder {
    enum Failure: Error, Hashable {
        /// The bytes are not content of that coding.
        case corrupt
        /// The content ended before its coding did.
        case cutOff
    }

    /// The largest piece, in bytes.
    static let pieceBytes = 64 * 1024

    private enum Phase {
        /// Nothing has come yet. The first two bytes of `deflate` show whether its header is there.
        case start
        case inside
        /// A gzip member, or the whole zlib stream, has ended.
        case ended
    }

    private let coding: ContentCoding
    /// zlib keeps a pointer to the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private var phase = Phase.start
    private var input: [UInt8] = []
    /// The number of bytes of ``input`` that zlib has taken.
    private var taken = 0

    init(_ coding: ContentCoding) throws(CompressionError) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window. 16 more select gzip; without them it is zlib (RFC 1950).
        let code = inflateInit2_(
            stream, coding == .gzip ? 15 + 16 : 15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        // A throw runs deinit, since all properties are set.
        guard code == Z_OK else { throw CompressionError(code: code) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Adds packed bytes. Call ``next()`` until it returns nil before adding more.
    func feed(_ bytes: [UInt8]) {
        input = taken < input.count ? Array(input[taken...]) + bytes : bytes
        taken = 0
    }

    /// The next piece of 1 to ``pieceBytes`` bytes; nil when more has to be fed.
    func next() throws(Failure) -> [UInt8]? {
        // Once without input too: zlib may hold expanded bytes that did not fit into the last piece.
        repeat {
            if taken < input.count { try begin() }
            guard phase == .inside else { return nil }
            var code = Z_OK
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { space, count in
                code = inflate(into: space, &count)
            }
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: phase = .ended
            default: throw .corrupt
            }
            if !piece.isEmpty { return piece }
            if code == Z_BUF_ERROR { return nil }
        } while taken < input.count
        return nil
    }

    /// Checks that the content is complete after all bytes were fed. Empty content is valid.
    func finish() throws(Failure) {
        guard phase != .inside, taken == input.count else { throw .cutOff }
    }

    /// Chooses how to read the bytes where something new begins.
    private func begin() throws(Failure) {
        switch (phase, coding) {
        case (.inside, _): return
        // gzip members follow one another (RFC 1952 §2.2).
        case (.ended, .gzip): inflateReset(stream)
        case (.ended, _): throw .corrupt
        case (.start, .deflate):
            guard input.count - taken >= 2 else { return }
            // Some senders omit the header of RFC 1950 §2.2 (RFC 9110 §8.4.1.2).
            let (first, second) = (input[taken], input[taken + 1])
            let hasHeader = first & 0x0F == 8 && (Int(first) << 8 | Int(second)) % 31 == 0
            if !hasHeader { inflateReset2(stream, -15) }
        case (.start, _): break
        }
        phase = .inside
    }

    private func inflate(into space: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) -> CInt {
        input.withUnsafeBufferPointer { buffer in
            let rest = UnsafeBufferPointer(rebasing: buffer[taken...])
            // zlib declares the input mutable but only reads it.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: rest.count)
            stream.pointee.next_out = space.baseAddress
            stream.pointee.avail_out = UInt32(Self.pieceBytes)
            let code = CZlib.inflate(stream, Z_NO_FLUSH)
            taken += rest.count - Int(stream.pointee.avail_in)
            stream.pointee.next_in = nil
            count = Self.pieceBytes - Int(stream.pointee.avail_out)
            return code
        }
    }
}
