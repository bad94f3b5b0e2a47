internal import CZlib

/// A zlib inflate stream. Only one thread may use it at a time.
package final class Inflater {
    /// The wrapping of the deflated data.
    package enum Format: Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1950.
        case zlib
        /// Without header and checksum (RFC 1951).
        case raw
    }

    /// The reason why data cannot be inflated.
    package enum Failure: Error, Hashable {
        /// The output is larger than the limit.
        case tooLarge
        /// The bytes are not deflate data.
        case corrupt
        /// zlib had no memory.
        case unavailable
    }

    package enum Status: Sendable {
        /// The stream needs more input or more room.
        case unfinished
        case ended
        case corrupt
    }

    /// zlib keeps a pointer to the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter windowBits: 8 to 15.
    package init(_ format: Format = .raw, windowBits: Int = 15) throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = inflateInit2_(
            stream, Self.bits(format, windowBits), ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        // A throw runs deinit, since all properties are set.
        guard code == Z_OK else { throw CompressionError(code: code) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    private static func bits(_ format: Format, _ windowBits: Int) -> CInt {
        switch format {
        case .gzip: CInt(windowBits + 16)
        case .zlib: CInt(windowBits)
        case .raw: -CInt(windowBits)
        }
    }

    /// Forgets all input so far.
    package func reset() {
        inflateReset(stream)
    }

    /// Forgets all input so far, and reads another format with the largest window.
    package func reset(to format: Format) {
        inflateReset2(stream, Self.bits(format, 15))
    }

    /// Expands as much of the input as fits into the space.
    /// - Parameter input: loses the bytes that were read.
    /// - Returns: the number of bytes written to the start of the space.
    package func step(
        _ input: inout ArraySlice<UInt8>, into space: UnsafeMutableBufferPointer<UInt8>
    ) -> (status: Status, count: Int) {
        var (code, read, written) = (Z_OK, 0, 0)
        input.withUnsafeBufferPointer { buffer in
            // zlib declares the input mutable but only reads it.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: buffer.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: buffer.count)
            stream.pointee.next_out = space.baseAddress
            stream.pointee.avail_out = UInt32(clamping: space.count)
            code = CZlib.inflate(stream, Z_NO_FLUSH)
            read = Int(UInt32(clamping: buffer.count) - stream.pointee.avail_in)
            written = Int(UInt32(clamping: space.count) - stream.pointee.avail_out)
            stream.pointee.next_in = nil
        }
        input = input.dropFirst(read)
        switch code {
        case Z_OK, Z_BUF_ERROR: return (.unfinished, written)
        case Z_STREAM_END: return (.ended, written)
        default: return (.corrupt, written)
        }
    }

    /// Expands the input and appends the output.
    /// - Parameter limit: the largest size of `output` afterwards, in bytes.
    package func inflate(_ input: [UInt8], into output: inout [UInt8], limit: Int) throws(Failure) {
        var rest = input[...]
        while true {
            let room = min(max(512, rest.count * 3), 64 * 1024)
            var result = (status: Status.unfinished, count: 0)
            output.append(addingCapacity: room) { space in
                result = step(&rest, into: space)
                return result.count
            }
            guard output.count <= limit else { throw .tooLarge }
            switch result.status {
            case .unfinished where result.count == room: continue
            case .unfinished where rest.isEmpty: return
            case .unfinished, .corrupt: throw .corrupt
            case .ended:
                // A block with BFINAL ends the stream (RFC 7692 §7.2.3.4). The next block begins another stream, which
                // may refer to the same window.
                inflateResetKeep(stream)
                if rest.isEmpty { return }
            }
        }
    }
}
