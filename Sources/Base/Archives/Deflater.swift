internal import CZlib

/// A failure of zlib.
package struct CompressionError: Error, Hashable, CustomStringConvertible {
    /// zlib's return code.
    package let code: CInt

    package var description: String { "zlib failed with code \(code)" }
}

/// A zlib deflate stream. Only one thread may use it at a time.
package final class Deflater {
    /// The wrapping of the deflated data.
    package enum Format {
        case gzip
        /// Without header and checksum (RFC 1951), as permessage-deflate needs it.
        case raw
    }

    /// The part of the output that has to be there at once.
    package enum Flush {
        case none
        /// The receiver can read all input so far. The output ends in the empty block 00 00 FF FF.
        case sync
        case finish

        fileprivate var code: CInt {
            switch self {
            case .none: Z_NO_FLUSH
            case .sync: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        }
    }

    /// zlib keeps a pointer to the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameters:
    ///   - level: 1 (fast) to 9 (small).
    ///   - windowBits: 9 to 15; the stream takes 2 to the power of (`windowBits` + 2) bytes for it.
    ///   - memoryLevel: 1 to 9; the stream takes 2 to the power of (`memoryLevel` + 9) bytes for it.
    package init(
        format: Format, level: Int = 6, windowBits: Int = 15, memoryLevel: Int = 8
    ) throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let bits = CInt(windowBits)
        let code = deflateInit2_(
            stream, CInt(level), Z_DEFLATED, format == .gzip ? bits + 16 : -bits, CInt(memoryLevel),
            Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        // A throw runs deinit, since all properties are set.
        guard code == Z_OK else { throw CompressionError(code: code) }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Forgets all input so far.
    package func reset() {
        deflateReset(stream)
    }

    /// Compresses the input, of less than 4 GiB, and appends the output.
    package func deflate(_ input: [UInt8], flush: Flush, into output: inout [UInt8]) throws(CompressionError) {
        guard input.count <= UInt32.max else { throw CompressionError(code: Z_BUF_ERROR) }
        var code = Z_OK
        input.withUnsafeBufferPointer { buffer in
            // zlib declares the input mutable but only reads it.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: buffer.baseAddress)
            stream.pointee.avail_in = UInt32(buffer.count)
            repeat {
                let room = max(256, Int(stream.pointee.avail_in) / 4)
                output.append(addingCapacity: room) { space in
                    stream.pointee.next_out = space.baseAddress
                    stream.pointee.avail_out = UInt32(space.count)
                    code = CZlib.deflate(stream, flush.code)
                    return space.count - Int(stream.pointee.avail_out)
                }
            } while code == Z_OK && stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
        }
        // Z_BUF_ERROR means that there was nothing more to do.
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw CompressionError(code: code) }
    }
}

extension [UInt8] {
    /// Appends up to `count` bytes that the closure writes.
    /// - Parameter write: returns the number of bytes that it wrote from the start of the space.
    mutating func append(addingCapacity count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        let space = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = write(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        }
        append(contentsOf: space)
    }
}
