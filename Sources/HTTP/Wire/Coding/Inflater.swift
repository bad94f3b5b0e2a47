import CZlib

/// A zlib inflate stream of raw deflate data (RFC 1951). Only one thread may use it at a time.
package final class Inflater {
    /// The reason why data cannot be inflated.
    package enum Failure: Error, Hashable {
        /// The output is larger than the limit.
        case tooLarge
        /// The bytes are not deflate data.
        case corrupt
    }

    /// zlib keeps a pointer to the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter windowBits: 8 to 15.
    package init(windowBits: Int = 15) throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = inflateInit2_(stream, -CInt(windowBits), ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        // A throw runs deinit, since all properties are set.
        guard code == Z_OK else { throw CompressionError(code: code) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Forgets all input so far.
    package func reset() {
        inflateReset(stream)
    }

    /// Expands the input and appends the output.
    /// - Parameter limit: the largest size of `output` afterwards, in bytes.
    package func inflate(_ input: [UInt8], into output: inout [UInt8], limit: Int) throws(Failure) {
        guard input.count <= UInt32.max else { throw .tooLarge }
        var failure: Failure?
        input.withUnsafeBufferPointer { buffer in
            // zlib declares the input mutable but only reads it.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: buffer.baseAddress)
            stream.pointee.avail_in = UInt32(buffer.count)
            failure = run(into: &output, limit: limit)
            stream.pointee.next_in = nil
        }
        if let failure { throw failure }
    }

    private func run(into output: inout [UInt8], limit: Int) -> Failure? {
        while true {
            var code = Z_OK
            output.append(addingCapacity: min(max(512, Int(stream.pointee.avail_in) * 3), 64 * 1024)) { space in
                stream.pointee.next_out = space.baseAddress
                stream.pointee.avail_out = UInt32(space.count)
                code = CZlib.inflate(stream, Z_SYNC_FLUSH)
                return space.count - Int(stream.pointee.avail_out)
            }
            if output.count > limit { return .tooLarge }
            switch code {
            case Z_OK where stream.pointee.avail_out == 0: continue
            case Z_OK, Z_BUF_ERROR: return stream.pointee.avail_in == 0 ? nil : .corrupt
            case Z_STREAM_END:
                // A block with BFINAL ends the stream (RFC 7692 §7.2.3.4). The next block begins another stream, which
                // may refer to the same window.
                inflateResetKeep(stream)
                if stream.pointee.avail_in == 0 { return nil }
            default: return .corrupt
            }
        }
    }
}
