/// One field as it stands on the wire.
struct WireField: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case varint(UInt64)
        case fixed64(UInt64)
        /// The position of the content of a string, a message or a packed list in the file.
        case delimited(Range<Int>)
        case fixed32(UInt32)
    }

    let number: Int
    /// The position of the field in the file, including its tag.
    let extent: Range<Int>
    let value: Value

    /// The position of the field's tag, in bytes from the start of the file.
    var offset: Int { extent.lowerBound }
}

/// Splits a range of bytes into protocol buffer fields.
///
/// Source: https://protobuf.dev/programming-guides/encoding/. The obsolete groups are refused.
struct WireFormatReader {
    private let bytes: [UInt8]
    private let end: Int
    private(set) var position: Int

    /// - Parameter range: the bytes to read. It is cut to the bytes that exist.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        let range = range.clamped(to: 0..<bytes.count)
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    /// The next field. Nil at the end of the range.
    mutating func field() throws(WireFormatError) -> WireField? {
        guard !isAtEnd else { return nil }
        let start = position
        let tag = try varint()
        guard let number = Int(exactly: tag >> 3), (1...536_870_911).contains(number) else {
            throw WireFormatError(offset: start, reason: "field number \(tag >> 3) is outside 1…536870911")
        }
        let value: WireField.Value
        switch tag & 7 {
        case 0: value = .varint(try varint())
        case 1: value = .fixed64(try littleEndian(byteCount: 8))
        case 2: value = .delimited(try delimited())
        case 5: value = .fixed32(UInt32(truncatingIfNeeded: try littleEndian(byteCount: 4)))
        default:
            throw WireFormatError(offset: start, reason: "wire type \(tag & 7) of field \(number) is not 0, 1, 2 or 5")
        }
        return WireField(number: number, extent: start..<position, value: value)
    }

    /// An integer with seven bits in each byte, least significant first, in at most ten bytes.
    mutating func varint() throws(WireFormatError) -> UInt64 {
        let start = position
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard position < end else {
                throw WireFormatError(offset: start, reason: "the variable-length integer is cut off")
            }
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7F) &<< UInt64(shift)
            if byte & 0x80 == 0 {
                guard shift < 63 || byte <= 1 else { break }
                return result
            }
        }
        throw WireFormatError(offset: start, reason: "the variable-length integer has more than 64 bits")
    }

    mutating func littleEndian(byteCount: Int) throws(WireFormatError) -> UInt64 {
        guard end - position >= byteCount else {
            throw WireFormatError(
                offset: position, reason: "\(byteCount) bytes are needed, \(max(0, end - position)) are left")
        }
        defer { position += byteCount }
        return bytes[position..<position + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func delimited() throws(WireFormatError) -> Range<Int> {
        let start = position
        let length = try varint()
        guard let count = Int(exactly: length), count <= end - position else {
            throw WireFormatError(
                offset: start,
                reason: "a length of \(length) bytes goes past the \(max(0, end - position)) that are left")
        }
        defer { position += count }
        return position..<(position + count)
    }
}

/// A violation of the protocol buffer encoding, or of the declared message.
package struct WireFormatError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The position in the file, in bytes from its start.
    package let offset: Int
    /// The problem, and what would be right.
    package let reason: String

    package var description: String { "\(reason) (at byte \(offset))" }
}
