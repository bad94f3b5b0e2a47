/// A writer for one message in Protobuf's wire format.
///
/// Source: https://protobuf.dev/programming-guides/encoding/
struct ProtobufMessage {
    private(set) var bytes: [UInt8] = []

    /// Appends a varint. Negative numbers are in two's complement.
    mutating func integer(_ field: Int, _ value: Int) {
        tag(field, wireType: 0)
        varint(UInt64(bitPattern: Int64(value)))
    }

    mutating func fixed64(_ field: Int, _ value: UInt64) {
        tag(field, wireType: 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ field: Int, _ text: String) { bytes(field, Array(text.utf8)) }

    mutating func bytes(_ field: Int, _ value: [UInt8]) {
        tag(field, wireType: 2)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func message(_ field: Int, _ write: (inout ProtobufMessage) -> Void) {
        var part = ProtobufMessage()
        write(&part)
        bytes(field, part.bytes)
    }

    private mutating func tag(_ field: Int, wireType: Int) { varint(UInt64(field << 3 | wireType)) }

    /// Appends seven bits per byte, the lowest first. The highest bit of a byte says that more follow.
    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
