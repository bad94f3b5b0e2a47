internal import CZlib
package import Foundation

/// Reads arrays from a numpy `.npz` file: a zip archive, stored or deflated, of `.npy` files of float32.
///
/// Sources: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, PKWARE's APPNOTE.TXT.
package struct NumpyArchive {
    package struct Array: Equatable {
        /// Row-major.
        package let shape: [Int]
        package let values: [Float]
    }

    package struct Malformed: Error {
        package let reason: String
    }

    package let arrays: [String: Array]

    package init(contentsOf url: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: url))
        var arrays: [String: Array] = [:]
        for (name, content) in try Self.entries(bytes) where name.hasSuffix(".npy") {
            arrays[String(name.dropLast(4))] = try Self.array(content)
        }
        self.arrays = arrays
    }

    /// The files of a zip archive, from its central directory.
    private static func entries(_ bytes: [UInt8]) throws -> [(String, [UInt8])] {
        let end = stride(from: bytes.count - 22, through: 0, by: -1).first { number(bytes, $0, 4) == 0x0605_4B50 }
        guard let end else { throw Malformed(reason: "no end of central directory") }
        var position = number(bytes, end + 16, 4)
        var entries: [(String, [UInt8])] = []
        for _ in 0..<number(bytes, end + 10, 2) {
            guard number(bytes, position, 4) == 0x0201_4B50 else { throw Malformed(reason: "no directory entry") }
            let method = number(bytes, position + 10, 2)
            let packedSize = number(bytes, position + 20, 4)
            let size = number(bytes, position + 24, 4)
            let nameLength = number(bytes, position + 28, 2)
            let name = String(decoding: bytes[position + 46..<position + 46 + nameLength], as: UTF8.self)
            let header = number(bytes, position + 42, 4)
            let start = header + 30 + number(bytes, header + 26, 2) + number(bytes, header + 28, 2)
            let packed = Swift.Array(bytes[start..<start + packedSize])
            entries.append((name, method == 0 ? packed : try inflate(packed, size: size)))
            position += 46 + nameLength + number(bytes, position + 30, 2) + number(bytes, position + 32, 2)
        }
        return entries
    }

    private static func inflate(_ packed: [UInt8], size: Int) throws -> [UInt8] {
        var packed = packed
        var result = [UInt8](repeating: 0, count: size)
        var stream = z_stream()
        // A negative value means a deflate stream without a header.
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Malformed(reason: "zlib does not start")
        }
        defer { inflateEnd(&stream) }
        let status = packed.withUnsafeMutableBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return CZlib.inflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { throw Malformed(reason: "zlib status \(status)") }
        return result
    }

    private static func array(_ bytes: [UInt8]) throws -> Array {
        guard bytes.starts(with: [0x93] + Swift.Array("NUMPY".utf8)) else { throw Malformed(reason: "no .npy file") }
        let lengthSize = bytes[6] == 1 ? 2 : 4
        let start = 8 + lengthSize + number(bytes, 8, lengthSize)
        let header = String(decoding: bytes[8 + lengthSize..<start], as: UTF8.self)
        guard header.contains("'<f4'"), header.contains("'fortran_order': False"),
            let shape = header.firstMatch(of: #/'shape': \(([0-9, ]*)\)/#)
        else { throw Malformed(reason: "not row-major float32: \(header)") }
        let dimensions = shape.1.split(separator: ",").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        let values = stride(from: start, to: bytes.count, by: 4).map {
            Float(bitPattern: UInt32(number(bytes, $0, 4)))
        }
        guard values.count == dimensions.reduce(1, *) else { throw Malformed(reason: "\(values.count) values") }
        return Array(shape: dimensions, values: values)
    }

    private static func number(_ bytes: [UInt8], _ position: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
    }
}
